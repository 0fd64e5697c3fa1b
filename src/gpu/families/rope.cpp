// Rotary position embedding.
#include "graph/ops/rope.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "gpu/families/row_launch.h"
#include "gpu/register.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

constexpr uint32_t kRun = 4;  // pairs, or elements, of an invocation

// Turns of one step are sent along for this many pairs at once.
constexpr uint32_t kFewPairs = 64;
constexpr uint32_t kManyPairs = 256;

// What kernels/rope.comp declares as p, member for member.
template <size_t N>
struct Parameters {
  uint32_t first_group = 0;
  uint32_t rows = 0;
  uint32_t positions = 0;
  uint32_t middles = 0;
  uint32_t first_pair = 0;
  uint32_t pairs = 0;
  uint32_t half_width = 0;
  uint32_t rest = 0;
  uint64_t in = 0;
  uint64_t out = 0;
  uint64_t offsets = 0;
  uint64_t wave_lengths = 0;
  int64_t offset_step = 0;
  int64_t wave_length_step = 0;
  int64_t in_step = 0;
  int64_t entry_in = 0, entry_out = 0;
  int64_t position_in = 0, position_out = 0;
  RowAxes<2> axes;
  uint64_t scale = 0;
  int32_t scale_exponent = 0;
  uint32_t backwards = 0;
  std::array<uint64_t, N> turns{};
};

using Turns = fast::RoPE::Parameters;

// The fraction of a turn, in units of 2^-64.
uint64_t fraction_of(long double turns) {
  const long double fraction = turns - std::floor(turns);
  return fraction < 1 ? static_cast<uint64_t>(fraction * 0x1p64L) : 0;
}

// Turns of one step, for pairs from `first` on.
void fill_turns(const Turns& rope, uint32_t first, std::span<uint64_t> turns) {
  const long double ratio = std::pow(static_cast<long double>(*rope.base), -2.0L / rope.dims);
  const long double sign = rope.inverse ? -1 : 1;
  long double step = sign * rope.scale / (2 * std::numbers::pi_v<long double>);
  if (first > 0) step *= std::pow(ratio, static_cast<long double>(first));
  for (uint64_t& turn : turns) {
    turn = fraction_of(step);
    step *= ratio;
  }
}

// The scale over 2 pi, for kernels that divide it by wave lengths.
template <size_t N>
void fill_scale(const Turns& rope, Parameters<N>& p) {
  const long double scale = std::abs(static_cast<long double>(rope.scale)) / (2 * std::numbers::pi_v<long double>);
  p.scale = static_cast<uint64_t>(std::frexp(scale, &p.scale_exponent) * 0x1p64L);
  p.backwards = (rope.scale < 0) != rope.inverse ? 1 : 0;
}

// The axes between the first and the last two.
RowBlocks middle_rows(const Tensor& in, const Tensor& out) {
  const auto middle = [](const auto& values) {
    return std::remove_cvref_t<decltype(values)>(values.begin() + 1, values.end() - 2);
  };
  const Strides strides[] = {middle(in.strides), middle(out.strides)};
  return {middle(in.shape), strides};
}

bool steps_in_fours(const Tensor& tensor, const RowBlocks& rows, size_t operand) {
  return last_step(tensor) == 1 && address_of(tensor) % (kRun * tensor.dtype.size()) == 0 &&
         rows.aligned(operand, kRun) && tensor.stride(0) % kRun == 0 && tensor.stride(-2) % kRun == 0;
}

class RopeLaunch {
 public:
  RopeLaunch(const Primitive& primitive, Task& task)
      : rope_(static_cast<const fast::RoPE&>(primitive).parameters()),
        task_(task),
        in_(task.inputs[0]),
        out_(task.outputs[0]),
        code_(float_row_code(primitive, in_.dtype, task.device, kernels::rope_float, kernels::rope_double)),
        middles_(middle_rows(in_, out_)) {
    constexpr size_t kMostRows = std::numeric_limits<uint32_t>::max();
    if (row_count(in_) <= kMostRows) return;
    throw std::invalid_argument("[RoPE] runs on a GPU for at most " + std::to_string(kMostRows) + " rows; got " +
                                std::to_string(row_count(in_)));
  }

  void run() {
    const auto pairs = static_cast<uint32_t>(rope_.dims / 2);
    for (int64_t block = 0; block < middles_.count(); ++block) {
      if (!rope_.base) {
        stage<1>(block, 0, pairs);
      } else if (pairs <= kFewPairs) {
        stage<kFewPairs>(block, 0, pairs);
      } else {
        for (uint32_t first = 0; first < pairs; first += kManyPairs) {
          stage<kManyPairs>(block, first, std::min(kManyPairs, pairs - first));
        }
      }
    }
  }

 private:
  bool is_vector() const {
    const bool fours = rope_.traditional || rope_.dims / 2 % static_cast<int>(kRun) == 0;
    return in_.dtype != float64 && fours && steps_in_fours(in_, middles_, 0) && steps_in_fours(out_, middles_, 1);
  }

  template <size_t N>
  Parameters<N> geometry(int64_t block) const {
    Parameters<N> p;
    p.positions = static_cast<uint32_t>(in_.dim(-2));
    p.middles = middles_.rows(block);
    p.rows = static_cast<uint32_t>(in_.dim(0)) * p.middles * p.positions;
    p.half_width = static_cast<uint32_t>(rope_.dims / 2);
    p.in_step = last_step(in_);
    p.entry_in = in_.stride(0);
    p.entry_out = out_.stride(0);
    p.position_in = in_.stride(-2);
    p.position_out = out_.stride(-2);
    p.axes = middles_.axes<2>();
    return p;
  }

  // Pairs [first, first + pairs) of a block's rows; the first of a row's dispatches copies what lies behind all pairs.
  template <size_t N>
  void stage(int64_t block, uint32_t first, uint32_t pairs) {
    Launch launch(task_, code_,
                  {dtype_code(in_.dtype), uint32_t{rope_.traditional}, uint32_t{!rope_.base}, uint32_t{is_vector()}});
    Parameters<N> p = geometry<N>(block);
    p.first_pair = first;
    p.pairs = pairs;
    p.rest = first == 0 ? static_cast<uint32_t>(in_.dim(-1) - rope_.dims) : 0;
    p.in = launch.reads(in_) + row_bytes(in_, middles_, block, 0);
    const bool all = pairs == p.half_width && middles_.count() == 1;
    p.out = (all ? launch.writes(out_) : launch.updates(out_)) + row_bytes(out_, middles_, block, 1);
    const Tensor& offset = task_.inputs[1];
    p.offsets = launch.reads(offset);
    p.offset_step = offset.size > 1 ? offset.stride(0) : 0;
    if (rope_.base) {
      fill_turns(rope_, first, {p.turns.data(), pairs});
    } else {
      fill_scale(rope_, p);
      p.wave_lengths = launch.reads(task_.inputs[2]);
      p.wave_length_step = task_.inputs[2].stride(0);
    }
    const uint64_t units = uint64_t{p.rows} * (groups_for(pairs, kRun) + groups_for(p.rest, kRun));
    const double elements = static_cast<double>(p.rows) * (2.0 * pairs + p.rest);
    launch.run(p, groups_for(units, kLaneGroup),
               {.operations = 30 * elements, .bytes = 2 * elements * static_cast<double>(in_.dtype.size())});
  }

  const Turns& rope_;
  Task& task_;
  const Tensor& in_;
  const Tensor& out_;
  const hal::KernelCode& code_;
  const RowBlocks middles_;
};

void encode(const Primitive& primitive, Task& task) {
  if (task.outputs[0].size > 0) RopeLaunch(primitive, task).run();
}

}  // namespace

void register_rope(Table& table) { table.add<fast::RoPE>(encode); }

}  // namespace plimsoll::gpu
