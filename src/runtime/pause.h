// What an operation needs before it can be encoded, and what takes so long that no lock is held for it.
#pragma once

#include <optional>
#include <vector>

#include "gpu/kernel_cache.h"
#include "memory/use.h"

namespace plimsoll::runtime {

class GpuDevice;

struct Pause {
  std::vector<memory::Use> wait_for;          // work in flight that holds memory
  std::optional<gpu::KernelNotReady> kernel;  // to be made for `device`
  GpuDevice* device = nullptr;

  bool any() const { return !wait_for.empty() || kernel.has_value(); }
};

}  // namespace plimsoll::runtime
