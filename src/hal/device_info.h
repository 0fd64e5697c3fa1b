// What a device is and can do, read once when it is opened or listed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::hal {

enum class DeviceType : uint8_t { kDiscrete, kIntegrated, kSoftware, kSimulated };

// A property that is on or off, with the reason when off, for `plimsoll devices`.
struct Feature {
  std::string name;  // "half math"
  bool on = false;
  std::string reason;  // why it is off: "the driver lacks VK_KHR_cooperative_matrix"; empty when on
};

// Shape of a cooperative matrix product that the device has at subgroup scope: a [m, k] x [k, n] -> [m, n].
struct CooperativeShape {
  enum class Type : uint8_t { kFloat16, kBfloat16, kFloat32 };
  uint32_t m = 0, n = 0, k = 0;
  Type operands = Type::kFloat16;
  Type result = Type::kFloat32;
};

struct DeviceInfo {
  std::string name;            // "NVIDIA H200"
  std::string driver;          // "vulkan"
  std::string driver_version;  // free text: "580.159.04, Vulkan 1.4.312"
  std::string identity;        // file-name-safe: changes when device or driver version change; keys caches on disk
  DeviceType type = DeviceType::kDiscrete;

  // Host and device share memory: the host works in place on device buffers.
  bool unified = false;

  // Kernels run. Off (null, sim): results hold no values, and whoever reads one must refuse to.
  bool makes_values = true;

  // Memory. SIZE_MAX: no cap.
  size_t memory_bytes = 0;      // of the heap of MemoryKind::kDevice
  size_t buffer_alignment = 0;  // of every buffer's address, at least 64
  size_t max_buffer_bytes = SIZE_MAX;
  size_t max_allocations = SIZE_MAX;

  // Work.
  uint32_t max_groups = 65535;                            // of one dispatch
  uint32_t max_group_size = 0;                            // invocations
  size_t shared_memory_bytes = 0;                         // of a workgroup
  uint32_t subgroup_size = 0;                             // what kernels get unless they ask for another
  uint32_t min_subgroup_size = 0, max_subgroup_size = 0;  // what they may ask for
  uint32_t compute_units = 0;                             // 0: unknown

  // Optional abilities that kernels are chosen by.
  bool has_half_math = false;
  // What the device itself does between float16 and float32 (packHalf2x16 ...) keeps subnormals and NaN and rounds to
  // nearest even: kernels need no code of their own for it.
  bool has_exact_halves = false;
  bool has_float64 = false;
  bool has_int64_atomics = false;
  bool has_float_atomics = false;  // float32 add
  bool has_timestamps = false;
  std::vector<CooperativeShape> cooperative_shapes;  // empty where off; `features` says why

  // Longest command buffer that the system lets live, in seconds; 0: nothing kills it.
  double kill_seconds = 0;

  std::vector<Feature> features;
};

}  // namespace plimsoll::hal
