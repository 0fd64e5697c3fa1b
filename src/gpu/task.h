// What an evaluator of the GPU works on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/kernel_cache.h"
#include "gpu/launch_plan.h"
#include "graph/tensor.h"
#include "hal/device_info.h"

namespace plimsoll::gpu {

// A piece of memory that is no array.
struct Memory {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t home = 0;  // the allocation it lies in: hal::Access::home

  Memory part(uint64_t offset, uint64_t size) const { return {address + offset, size, home}; }
};

// Tensor::data holds device addresses: never to be dereferenced. Outputs that took over an input's buffer have that
// input's address. Everything was reserved before: evaluators only stage launches (gpu/launch.h).
struct Task {
  const hal::DeviceInfo& device;
  std::span<const Tensor> inputs;
  std::span<const Tensor> outputs;
  Memory scratch;  // uninitialized; 64-byte aligned
  KernelCache& kernels;
  LaunchPlan& plan;
};

}  // namespace plimsoll::gpu
