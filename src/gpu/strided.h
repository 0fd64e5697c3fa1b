// Launches of kernels over operands of one shape, each with strides of its own (kernels/strided.glsl).
//
//   launch_strided(task, kernels::negate_strided, std::array{in, out}, {.constants = constants});
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/launch.h"

namespace plimsoll::gpu {

inline constexpr size_t kStridedAxes = 6;
inline constexpr uint64_t kStridedElements = 1024;  // of a workgroup

// What kernels/strided.glsl declares as p, member for member.
template <size_t N>
struct StridedParameters {
  uint32_t first_group = 0;
  uint32_t axes = 0;
  uint64_t count = 0;
  uint64_t operands[N] = {};
  uint32_t multipliers[kStridedAxes] = {};
  uint32_t shifts[kStridedAxes] = {};
  uint64_t sizes[kStridedAxes] = {};
  int64_t strides[N][kStridedAxes] = {};
  uint32_t scalars[8] = {};
};

// floor(n / size) == (high word of n * multiplier + n) >> shift, for n < 2^31 and 1 <= size < 2^31.
struct FastDivisor {
  uint32_t multiplier = 0;
  uint32_t shift = 0;
};
FastDivisor fast_divisor(uint64_t size);

// The elements of operands of one shape, in as few axes as their strides allow. Axes beyond the kStridedAxes innermost
// ones are walked by the host, a block of elements at a time.
class StridedBlocks {
 public:
  StridedBlocks(const Shape& shape, std::span<const Strides> strides);

  // Number of blocks: 1 for almost everything, 0 for empty operands.
  int64_t count() const { return blocks_; }
  // Elements of a block.
  uint64_t elements() const { return elements_; }
  // Whether an index or offset within a block needs more than 31 bits.
  bool wide() const { return wide_; }
  // Distance of the block's first element from element [0, 0, ...] of an operand, in elements.
  int64_t offset(int64_t block, size_t operand) const;

  // Everything of the parameters that is the same for all blocks: axes, count, sizes and strides.
  template <size_t N>
  void fill(StridedParameters<N>& parameters) const {
    parameters.axes = static_cast<uint32_t>(axes_.shape.size() - outer_);
    parameters.count = elements_;
    for (size_t axis = 0; axis < parameters.axes; ++axis) {
      const auto size = static_cast<uint64_t>(axes_.shape[outer_ + axis]);
      const FastDivisor divisor = wide_ ? FastDivisor{} : fast_divisor(size);
      parameters.sizes[axis] = size;
      parameters.multipliers[axis] = divisor.multiplier;
      parameters.shifts[axis] = divisor.shift;
      for (size_t k = 0; k < N; ++k) parameters.strides[k][axis] = axes_.strides[k][outer_ + axis];
    }
  }

 private:
  CollapsedAxes axes_;
  size_t outer_ = 0;  // axes that the host walks
  int64_t blocks_ = 1;
  uint64_t elements_ = 1;
  bool wide_ = false;
};

// What a strided launch says beside its operands.
struct StridedWork {
  std::span<const uint32_t> constants;  // all but the last, STRIDED_WIDE
  double operations_per_element = 1;
  std::array<uint32_t, 8> scalars{};
  // Whether the elements named are all of the output tensor.
  bool writes_all = true;
};

namespace detail {

template <size_t N>
void stage_block(Task& task, const hal::KernelCode& code, std::span<const uint32_t> constants,
                 const std::array<Tensor, N>& operands, StridedParameters<N>& parameters, const StridedBlocks& blocks,
                 int64_t block, const StridedWork& work) {
  Launch launch(task, code, constants);
  double bytes = 0;
  for (size_t k = 0; k < N; ++k) {
    const Tensor& operand = operands[k];
    const bool is_output = k + 1 == N;
    const bool partial = !work.writes_all || blocks.count() > 1;
    const uint64_t address = !is_output ? launch.reads(operand)
                             : partial  ? launch.updates(operand)
                                        : launch.writes(operand);
    parameters.operands[k] = address + static_cast<uint64_t>(blocks.offset(block, k) * operand.dtype.size());
    bytes += static_cast<double>(blocks.elements()) * operand.dtype.size();
  }
  const auto elements = static_cast<double>(blocks.elements());
  launch.run(parameters, groups_for(blocks.elements(), kStridedElements),
             {.operations = work.operations_per_element * elements, .bytes = bytes});
}

}  // namespace detail

// Stages the kernel over all elements. The operands have one shape; the last is the output, the others are read.
template <size_t N>
void launch_strided(Task& task, const hal::KernelCode& code, const std::array<Tensor, N>& operands,
                    const StridedWork& work) {
  std::array<Strides, N> strides;
  for (size_t k = 0; k < N; ++k) strides[k] = operands[k].strides;
  const StridedBlocks blocks(operands[N - 1].shape, strides);
  if (blocks.count() == 0) return;
  SmallVector<uint32_t, 8> constants(work.constants.begin(), work.constants.end());
  constants.push_back(blocks.wide() ? 1 : 0);
  StridedParameters<N> parameters;
  blocks.fill(parameters);
  std::copy(work.scalars.begin(), work.scalars.end(), parameters.scalars);
  for (int64_t block = 0; block < blocks.count(); ++block) {
    detail::stage_block(task, code, {constants.data(), constants.size()}, operands, parameters, blocks, block, work);
  }
}

}  // namespace plimsoll::gpu
