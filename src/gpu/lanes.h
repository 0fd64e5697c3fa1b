// How many invocations share a row.
#pragma once

#include <cstdint>

#include "hal/device_info.h"

namespace plimsoll::gpu {

inline constexpr uint32_t kLaneGroup = 256;  // invocations of a workgroup (kernels/group.glsl)

// Workgroups that keep the whole device busy.
inline uint64_t wanted_groups(const hal::DeviceInfo& device) {
  constexpr uint64_t kGroupsPerUnit = 8;
  constexpr uint32_t kUsualUnits = 32;  // of a device that does not say
  return kGroupsPerUnit * (device.compute_units > 0 ? device.compute_units : kUsualUnits);
}

// Lanes, a power of two, for each of `rows` rows that make `steps` steps of a lane: four steps a lane, fewer where the
// device would not be busy.
inline uint32_t lanes_for(uint64_t rows, uint64_t steps, const hal::DeviceInfo& device) {
  uint32_t lanes = 1;
  while (lanes < kLaneGroup && lanes * 4 < steps) lanes *= 2;
  if (rows * lanes >= wanted_groups(device) * kLaneGroup) return lanes;
  while (lanes < kLaneGroup && lanes < steps) lanes *= 2;
  return lanes;
}

}  // namespace plimsoll::gpu
