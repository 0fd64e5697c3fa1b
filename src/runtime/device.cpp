#include "plimsoll/device.h"

#include <sys/utsname.h>

#include <mutex>
#include <string>

#include "cpu/features.h"
#include "runtime/runtime.h"

namespace plimsoll {

using runtime::instance;

namespace {

Device& default_device_slot() {
  static Device device = Device::cpu;
  return device;
}

}  // namespace

const Device& default_device() { return default_device_slot(); }

void set_default_device(const Device& device) {
  runtime::require_available(device, "set_default_device");
  default_device_slot() = device;
}

bool is_available(const Device& device) { return device.index >= 0 && device.index < device_count(device.type); }

const std::unordered_map<std::string, std::variant<std::string, size_t>>& device_info(const Device& device) {
  runtime::require_available(device, "device_info");
  static std::mutex mutex;
  static std::unordered_map<std::string, std::variant<std::string, size_t>> info;
  const std::lock_guard lock(mutex);
  if (info.empty()) {
    info["device_name"] = std::string("cpu");
    utsname system{};
    uname(&system);
    info["architecture"] = std::string(system.machine);
    info["total_memory"] = instance().probe().ram();
    info["memory_size"] = instance().probe().ram();
    info["kernel_target"] = cpu::kernel_target();
  }
  return info;
}

std::vector<DeviceFeature> device_features(const Device& device) {
  runtime::require_available(device, "device_features");
  std::vector<DeviceFeature> features;
  for (const cpu::Feature& feature : cpu::features()) {
    features.push_back({std::string(feature.name), feature.present, std::string(feature.use)});
  }
  return features;
}

int device_count(Device::DeviceType type) { return type == Device::cpu ? 1 : 0; }

Stream default_stream(Device device) { return instance().streams().thread_default(device); }
void set_default_stream(Stream stream) { instance().streams().set_thread_default(stream); }
Stream new_stream(Device device) { return instance().streams().add(device); }
std::vector<Stream> get_streams() { return instance().streams().all(); }

void synchronize() { synchronize(default_stream(default_device())); }
void synchronize(Stream stream) { instance().board().wait(instance().streams().cpu(stream.index).last()); }

Stream to_stream(StreamOrDevice s) { return to_stream(s, default_device()); }

Stream to_stream(StreamOrDevice s, Device fallback) {
  if (const Stream* stream = std::get_if<Stream>(&s)) return *stream;
  if (const Device* device = std::get_if<Device>(&s)) return default_stream(*device);
  return default_stream(fallback);
}

}  // namespace plimsoll
