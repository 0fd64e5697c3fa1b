// What gathers and scatters share: positions along axes, and launches of kernels that need more than strided operands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/strided.h"
#include "graph/primitive.h"

namespace plimsoll::gpu {

void encode_gather(const Primitive& primitive, Task& task);
void encode_gather_axis(const Primitive& primitive, Task& task);
void encode_scatter(const Primitive& primitive, Task& task);
void encode_scatter_axis(const Primitive& primitive, Task& task);
size_t gather_scratch(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                      const hal::DeviceInfo& device);
size_t scatter_scratch(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                       const hal::DeviceInfo& device);

// kernels/indexing/index.glsl
struct IndexedAxis {
  int64_t size = 0;
  int64_t room = 0;
  int64_t stride = 0;
  uint32_t dtype = 0;  // of the indices
  uint32_t unused = 0;
};

// What to do with an index that is out of range.
enum class OutOfRange : uint32_t { kNearest, kSkip };

// Bytes of the offsets of stage_offsets.
inline size_t offsets_bytes(std::span<const Tensor> indices) { return indices[0].size * sizeof(int64_t); }

// Adds up what several arrays of indices of one shape say about axes[k], as int64 in the task's scratch: of the
// indices' shape, row-major.
Tensor stage_offsets(Task& task, std::span<const Tensor> indices, std::span<const IndexedAxis> axes, OutOfRange rule);

// An operand of a strided kernel, which may reach further into the tensor than its strides say.
struct StridedOperand {
  const Tensor& tensor;
  Strides strides;
  hal::AccessKind kind = hal::AccessKind::kRead;
};

// StridedParameters, and what the kernel's STRIDED_MORE declares.
template <size_t N, typename More>
struct ExtendedParameters {
  ExtendedParameters() : strided{} {}
  union {
    uint32_t first_group;
    StridedParameters<N> strided;
  };
  More more{};
};

// Stages the kernel over all elements of the shape. `constants`: all but STRIDED_WIDE. `prepare(more, elements)` fills
// in what depends on the elements of a launch (nearly always all of them), and returns its workgroups.
template <size_t N, typename More, typename Prepare>
void stage_extended(Task& task, const hal::KernelCode& code, std::span<const uint32_t> constants, const Shape& shape,
                    const std::array<StridedOperand, N>& operands, const More& more, hal::Cost cost,
                    Prepare&& prepare) {
  std::array<Strides, N> strides;
  for (size_t k = 0; k < N; ++k) strides[k] = operands[k].strides;
  const StridedBlocks blocks(shape, strides);
  SmallVector<uint32_t, 8> all_constants(constants.begin(), constants.end());
  all_constants.push_back(blocks.wide() ? 1 : 0);
  ExtendedParameters<N, More> parameters;
  blocks.fill(parameters.strided);
  parameters.more = more;
  const uint64_t groups = prepare(parameters.more, blocks.elements());
  for (int64_t block = 0; block < blocks.count(); ++block) {
    Launch launch(task, code, std::span<const uint32_t>(all_constants.data(), all_constants.size()));
    for (size_t k = 0; k < N; ++k) {
      const Tensor& tensor = operands[k].tensor;
      const bool partial = operands[k].kind == hal::AccessKind::kReadWrite || blocks.count() > 1;
      const uint64_t address = operands[k].kind == hal::AccessKind::kRead ? launch.reads(tensor)
                               : partial                                  ? launch.updates(tensor)
                                                                          : launch.writes(tensor);
      const int64_t offset = blocks.offset(block, k) * static_cast<int64_t>(tensor.dtype.size());
      parameters.strided.operands[k] = address + static_cast<uint64_t>(offset);
    }
    launch.run(parameters, groups, cost.scaled(1.0 / static_cast<double>(blocks.count())));
  }
}

}  // namespace plimsoll::gpu
