// Finds the device's kernel for a code and its constants in the time that encoding has: a hash look-up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <unordered_map>
#include <vector>

#include "hal/device.h"

namespace plimsoll::gpu {

// Thrown through an evaluator when a kernel has to be made first, which may take long: whoever holds the scheduling
// lock undoes the operation, lets the lock go, calls make(), and encodes the operation again. No error.
struct KernelNotReady {
  const hal::KernelCode* code;
  std::vector<uint32_t> constants;

  // Throws DeviceError when the device refuses the kernel.
  void make(hal::Device& device) const { device.kernel(*code, constants); }
};

// Guarded by the scheduling lock.
class KernelCache {
 public:
  // `wait_for_kernels`: makes missing kernels on the spot instead of throwing KernelNotReady.
  explicit KernelCache(hal::Device& device, bool wait_for_kernels = false)
      : device_(device), waits_(wait_for_kernels) {}

  const hal::Kernel& find(const hal::KernelCode& code, std::initializer_list<uint32_t> constants) {
    return find(code, std::span(constants.begin(), constants.size()));
  }
  const hal::Kernel& find(const hal::KernelCode& code, std::span<const uint32_t> constants);

  // Takes over what KernelNotReady asked for, once it was made.
  void add(const KernelNotReady& made);

 private:
  struct Key {
    const hal::KernelCode* code;
    std::vector<uint32_t> constants;
    bool operator==(const Key&) const = default;
  };
  struct View {
    const hal::KernelCode* code;
    std::span<const uint32_t> constants;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(const View& view) const noexcept;
    size_t operator()(const Key& key) const noexcept { return (*this)(View{key.code, key.constants}); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Key& a, const Key& b) const noexcept { return a == b; }
    bool operator()(const View& a, const Key& b) const noexcept {
      return a.code == b.code &&
             std::equal(a.constants.begin(), a.constants.end(), b.constants.begin(), b.constants.end());
    }
    bool operator()(const Key& a, const View& b) const noexcept { return (*this)(b, a); }
  };

  hal::Device& device_;
  const bool waits_;
  std::unordered_map<Key, const hal::Kernel*, Hash, Equal> kernels_;
};

}  // namespace plimsoll::gpu
