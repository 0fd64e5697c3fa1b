#include "graph/ops/random.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "cpu/register.h"
#include "graph/ops/threefry.h"

namespace plimsoll::cpu {
namespace {

constexpr int64_t kBlocks = 64;  // generated side by side
constexpr int64_t kGrain = 1 << 12;

// Writes word `index`, or as much of it as there are bytes.
void put_word(std::byte* out, int64_t bytes, int64_t index, uint32_t word) {
  std::memcpy(out + 4 * index, &word, static_cast<size_t>(std::min<int64_t>(4, bytes - 4 * index)));
}

// Words i and i + second for i in [begin, end).
void generate(const Threefry& generator, int64_t begin, int64_t end, int64_t second, std::byte* out, int64_t bytes) {
  uint32_t low[kBlocks];
  uint32_t high[kBlocks];
  for (int64_t i = begin; i < end; i += kBlocks) {
    for (int64_t j = 0; j < kBlocks; ++j) {
      const auto counter = static_cast<uint32_t>(i + j);
      const Threefry::Block block = generator(counter, counter + static_cast<uint32_t>(second));
      low[j] = block.x0;
      high[j] = block.x1;
    }
    const int64_t count = std::min(kBlocks, end - i);
    std::memcpy(out + 4 * i, low, static_cast<size_t>(4 * count));
    const int64_t at = 4 * (i + second);
    std::memcpy(out + at, high, static_cast<size_t>(std::min(4 * count, bytes - at)));
  }
}

void run(const Primitive&, const Task& task) {
  const Tensor& key = task.inputs[0];
  const Tensor& out = task.outputs[0];
  const auto bytes = static_cast<int64_t>(out.size * size_of(out.dtype));
  const int64_t words = (bytes + 3) / 4;
  const int64_t half = words / 2;
  const int64_t second = words - half;
  const Threefry generator{key.as<uint32_t>()[0], key.as<uint32_t>()[key.strides[0]]};
  base::parallel_for(half, kGrain,
                     [&](int64_t begin, int64_t end) { generate(generator, begin, end, second, out.data, bytes); });
  if (second > half) put_word(out.data, bytes, half, generator(static_cast<uint32_t>(half), 0).x0);
}

}  // namespace

void register_random(Table& table) { table.add<RandomBits>(run); }

}  // namespace plimsoll::cpu
