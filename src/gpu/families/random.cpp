// RandomBits: kernels/random.comp.
#include "graph/ops/random.h"

#include "gpu/launch.h"
#include "gpu/register.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

constexpr uint64_t kBlocksAGroup = 1024;
constexpr double kOperationsABlock = 80;

struct Parameters {
  uint32_t first_group = 0, unused = 0;
  uint64_t key = 0;
  int64_t key_step = 0;
  uint64_t target = 0;
  uint64_t bytes = 0, half_words = 0, second = 0;
};

void encode_random_bits(const Primitive&, Task& task) {
  const Tensor& key = task.inputs[0];
  const Tensor& out = task.outputs[0];
  if (out.size == 0) return;
  Launch launch(task, kernels::random);
  Parameters parameters;
  parameters.bytes = out.size * out.dtype.size();
  const uint64_t words = groups_for(parameters.bytes, 4);
  parameters.half_words = words / 2;
  parameters.second = words - words / 2;
  parameters.key = launch.reads(key);
  parameters.key_step = key.strides[0];
  parameters.target = launch.writes(out);
  launch.run(parameters, groups_for(parameters.second, kBlocksAGroup),
             {.operations = kOperationsABlock * static_cast<double>(parameters.second),
              .bytes = static_cast<double>(parameters.bytes)});
}

}  // namespace

void register_random(Table& table) { table.add<RandomBits>(encode_random_bits); }

}  // namespace plimsoll::gpu
