// Devices and streams, as MLX names them. A stream is an ordered queue of work on one device; work on different streams
// is ordered only through the arrays that they share.
#pragma once

#include <compare>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace plimsoll {

struct Device {
  enum class DeviceType { cpu, gpu };
  static constexpr DeviceType cpu = DeviceType::cpu;
  static constexpr DeviceType gpu = DeviceType::gpu;

  Device(DeviceType device_type, int device_index = 0) : type(device_type), index(device_index) {}  // NOLINT

  DeviceType type;
  int index;  // the index-th opened device of its type

  auto operator<=>(const Device&) const = default;
};

inline bool operator==(const Device& device, Device::DeviceType type) { return device.type == type; }

// The device of operations that name none: the CPU unless set, here or by PLIMSOLL_DEVICE (a name as open_device takes
// it). Per process, as in MLX.
const Device& default_device();
// Throws std::invalid_argument when the device is not available.
void set_default_device(const Device& device);
// Opens a device by name and returns it: "cpu", "vulkan" (the driver's first), "vulkan:1", "sim:m1max-32", "null". A
// device that is open already is not opened again. A software device is used only when it is named. Throws DeviceError
// saying what there is.
Device open_device(const std::string& name);
bool is_available(const Device& device);
int device_count(Device::DeviceType type);
// Properties by name: device_name, architecture, total_memory, memory_size, and kernel_target, the instruction set that
// kernels run on.
const std::unordered_map<std::string, std::variant<std::string, size_t>>& device_info(
    const Device& device = default_device());

// Something that only some processors or drivers have.
struct DeviceFeature {
  std::string name;
  bool present;
  std::string use;  // what it is used for, or why it is not
};

// Every feature that work on the device asks about, in a fixed order.
std::vector<DeviceFeature> device_features(const Device& device = default_device());

// A device that this machine has, or a driver that finds none.
struct DeviceListing {
  std::string name;         // as open_device takes it: "vulkan:0"; the driver's name alone when it has no device
  std::string description;  // "NVIDIA H200"; empty when there is no device
  std::string driver_version;
  std::string unusable;     // why it cannot be opened; empty if it can
  bool software = false;    // used only when it is named
  size_t total_memory = 0;  // bytes
  std::vector<DeviceFeature> features;
};

// Every device of every driver of this build, the CPU left out; nothing is opened.
std::vector<DeviceListing> list_devices();

struct Stream {
  int index;
  Device device;

  Stream(int stream_index, Device stream_device) : index(stream_index), device(stream_device) {}
  auto operator<=>(const Stream&) const = default;
};

// The calling thread's default stream of the device, made on first use.
Stream default_stream(Device device);
void set_default_stream(Stream stream);
Stream new_stream(Device device);
std::vector<Stream> get_streams();

// Waits until the work encoded so far on the stream (without argument: the default device's default stream) is done.
void synchronize();
void synchronize(Stream stream);

// How operations take their stream: none (the default), a stream, or a device (its default stream).
using StreamOrDevice = std::variant<std::monostate, Stream, Device>;
Stream to_stream(StreamOrDevice s);
Stream to_stream(StreamOrDevice s, Device default_device);

}  // namespace plimsoll
