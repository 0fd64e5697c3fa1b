// One dispatch in the making: a pointer enters the parameter block only through the call that states what is done with
// it.
//
//   Launch launch(task, kernels::softmax_float, {dtype_code(in.dtype)});
//   struct { uint32_t first_group; uint32_t width; uint64_t in, out; } p{};
//   p.width = width;
//   p.in = launch.reads(in);
//   p.out = launch.writes(out);
//   launch.run(p, rows, {.operations = 5.0 * in.size, .bytes = double(in.nbytes + out.nbytes)});
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>

#include "plimsoll/small_vector.h"
#include "gpu/task.h"

namespace plimsoll::gpu {

// The dtype as kernels know it (kernels/common.glsl: DTYPE_...).
inline uint32_t dtype_code(Dtype dtype) { return static_cast<uint32_t>(dtype.val()); }

// The bytes that a tensor's elements lie in: exact for evenly strided rows, else everything from the lowest to the
// highest element, in which case `exact` is false.
struct TensorRegion {
  hal::Region region;
  bool exact;
};
TensorRegion region_of(const Tensor& tensor);

class Launch {
 public:
  Launch(Task& task, const hal::KernelCode& code, std::initializer_list<uint32_t> constants = {})
      : task_(task), kernel_(task.kernels.find(code, constants)) {}
  Launch(Task& task, const hal::KernelCode& code, std::span<const uint32_t> constants)
      : task_(task), kernel_(task.kernels.find(code, constants)) {}

  // Each states the access to the whole tensor and returns the address of element [0, 0, ...].
  uint64_t reads(const Tensor& tensor) { return state(tensor, hal::AccessKind::kRead); }
  uint64_t writes(const Tensor& tensor) { return state(tensor, hal::AccessKind::kWrite); }  // every element
  uint64_t updates(const Tensor& tensor) {
    return state(tensor, hal::AccessKind::kReadWrite);
  }  // some, or adds to them

  // The same for scratch and for parts of a tensor; returns the address.
  uint64_t reads(const Memory& memory) { return state(memory, hal::AccessKind::kRead); }
  uint64_t writes(const Memory& memory) { return state(memory, hal::AccessKind::kWrite); }
  uint64_t updates(const Memory& memory) { return state(memory, hal::AccessKind::kReadWrite); }

  // States an exact region of a tensor's buffer; returns the region's address.
  uint64_t accesses(const Tensor& tensor, const hal::Region& region, hal::AccessKind kind);

  // Stages the dispatch. `groups` may pass any device's limit: it is cut. Zero groups: nothing is staged.
  // `parameters` is a trivially copyable struct whose first member is the uint32_t first_group.
  template <typename Parameters>
  void run(const Parameters& parameters, uint64_t groups, hal::Cost cost) {
    static_assert(std::is_trivially_copyable_v<Parameters> && std::is_standard_layout_v<Parameters>);
    static_assert(std::is_same_v<decltype(parameters.first_group), uint32_t>);
    if (groups == 0) return;
    task_.plan.add(kernel_, std::as_bytes(std::span(&parameters, 1)), groups, {accesses_.data(), accesses_.size()},
                   cost);
  }

 private:
  uint64_t state(const Tensor& tensor, hal::AccessKind kind);
  uint64_t state(const Memory& memory, hal::AccessKind kind);

  Task& task_;
  const hal::Kernel& kernel_;
  SmallVector<hal::Access, 8> accesses_;
};

inline uint64_t address_of(const Tensor& tensor) { return reinterpret_cast<uint64_t>(tensor.data); }

// Workgroups of `size` that cover `count` items.
constexpr uint64_t groups_for(uint64_t count, uint64_t size) { return (count + size - 1) / size; }

}  // namespace plimsoll::gpu
