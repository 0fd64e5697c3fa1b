// Launches of element-by-element kernels (kernels/elementwise.glsl): picks the dense or the strided one, vectors and
// broadcasts from how the operands lie.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "gpu/strided.h"

namespace plimsoll::gpu {

struct ElementwiseKernels {
  const hal::KernelCode& dense;
  const hal::KernelCode& strided;
};

// How the elements of one shape lie in memory for a dense kernel: the output's side by side, the inputs' the same or
// broadcast along rows of `width` elements.
struct DenseLayout {
  static constexpr size_t kInputs = 3;
  enum Mode : uint32_t { kEach, kScalar, kRow, kColumn };

  bool dense = false;   // false: only a strided kernel will do
  uint32_t width = 1;   // of a row, where a mode speaks of rows
  uint32_t vector = 1;  // elements a vector: 1, 4 or 8
  std::array<Mode, kInputs> modes{};
};

// The operands have one shape; the last is the output. Addresses count: vectors need every operand aligned to them.
DenseLayout dense_layout(std::span<const Tensor> operands);

// Puts the axes of all operands in the order in which the last one lies in memory, so that what is column-major
// throughout is dense too. Elements of one place stay together.
void order_axes(std::span<Tensor> operands);

struct ElementwiseWork {
  uint32_t kind = 0;  // the kernel's KIND
  double operations_per_element = 1;
};

namespace detail {

// Bytes that reading or writing every element of a tensor moves.
inline double bytes_moved(const Tensor& tensor) {
  return static_cast<double>(std::min(tensor.size, tensor.data_size)) * tensor.dtype.size();
}

template <size_t N>
void launch_dense(Task& task, const hal::KernelCode& code, const std::array<Tensor, N>& operands,
                  const DenseLayout& layout, const ElementwiseWork& work) {
  constexpr uint64_t kGroup = 256;
  constexpr size_t kInputs = N - 1;
  struct {
    uint32_t first_group, width;
    uint64_t count;
    uint64_t inputs[kInputs], output;
  } p{};
  const Tensor& output = operands[kInputs];
  const bool wide = output.size >= uint64_t{1} << 31;
  Launch launch(task, code,
                {work.kind, dtype_code(operands[kInputs - 1].dtype), dtype_code(output.dtype), wide, layout.vector,
                 layout.modes[0], layout.modes[1], layout.modes[2]});
  p.width = layout.width;
  p.count = output.size;
  double bytes = bytes_moved(output);
  for (size_t k = 0; k < kInputs; ++k) {
    p.inputs[k] = launch.reads(operands[k]);
    bytes += bytes_moved(operands[k]);
  }
  p.output = launch.writes(output);
  const uint64_t invocations = output.size / layout.vector + output.size % layout.vector;
  launch.run(p, groups_for(invocations, kGroup),
             {.operations = work.operations_per_element * static_cast<double>(output.size), .bytes = bytes});
}

}  // namespace detail

// Stages the kernel over all elements of operands of one shape, of which the last is the output. Nothing for empty
// ones.
template <size_t N>
void launch_elementwise(Task& task, const ElementwiseKernels& kernels, std::array<Tensor, N> operands,
                        const ElementwiseWork& work) {
  static_assert(N >= 2 && N - 1 <= DenseLayout::kInputs);
  if (operands[N - 1].size == 0) return;
  order_axes(operands);
  const DenseLayout layout = dense_layout(operands);
  if (layout.dense) {
    detail::launch_dense(task, kernels.dense, operands, layout, work);
    return;
  }
  const std::array<uint32_t, 3> constants{work.kind, dtype_code(operands[N - 2].dtype),
                                          dtype_code(operands[N - 1].dtype)};
  launch_strided(task, kernels.strided, operands,
                 {.constants = constants, .operations_per_element = work.operations_per_element});
}

// Throws std::invalid_argument naming the primitive when one of the tensors is of float64 and the device has none.
void require_float64(const Primitive& primitive, const Task& task);

}  // namespace plimsoll::gpu
