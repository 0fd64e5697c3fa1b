#include "plimsoll/device.h"

#include <sys/utsname.h>

#include <map>
#include <mutex>
#include <string>

#include "base/env.h"
#include "cpu/features.h"
#include "hal/driver.h"
#include "runtime/runtime.h"

namespace plimsoll {

using runtime::instance;

namespace {

// PLIMSOLL_DEVICE, else the CPU.
Device initial_device() {
  const auto name = base::env_string("PLIMSOLL_DEVICE");
  return name ? instance().devices().open(*name) : Device(Device::cpu);
}

Device& default_device_slot() {
  static Device device = initial_device();
  return device;
}

}  // namespace

const Device& default_device() { return default_device_slot(); }

void set_default_device(const Device& device) {
  runtime::require_available(device, "set_default_device");
  default_device_slot() = device;
}

Device open_device(const std::string& name) { return instance().devices().open(name); }

bool is_available(const Device& device) { return device.index >= 0 && device.index < device_count(device.type); }

using InfoMap = std::unordered_map<std::string, std::variant<std::string, size_t>>;

namespace {

InfoMap cpu_info() {
  utsname system{};
  uname(&system);
  return {{"device_name", std::string("cpu")},
          {"architecture", std::string(system.machine)},
          {"total_memory", instance().probe().ram()},
          {"memory_size", instance().probe().ram()},
          {"kernel_target", cpu::kernel_target()}};
}

InfoMap gpu_info(const hal::DeviceInfo& info) {
  return {{"device_name", info.name},
          {"architecture", info.driver},
          {"driver_version", info.driver_version},
          {"total_memory", info.memory_bytes},
          {"memory_size", info.memory_bytes},
          {"max_buffer_length", info.max_buffer_bytes},
          {"max_recommended_working_set_size", info.memory_bytes},
          {"resource_limit", info.max_allocations}};
}

}  // namespace

const InfoMap& device_info(const Device& device) {
  runtime::require_available(device, "device_info");
  static std::mutex mutex;
  static std::map<Device, InfoMap> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(device);
  if (found != known.end()) return found->second;
  return known
      .emplace(device, device == Device::cpu ? cpu_info()
                                             : gpu_info(instance().devices().gpu(device.index, "device_info").info()))
      .first->second;
}

std::vector<DeviceFeature> device_features(const Device& device) {
  runtime::require_available(device, "device_features");
  std::vector<DeviceFeature> features;
  if (device == Device::gpu) {
    for (const hal::Feature& feature : instance().devices().gpu(device.index, "device_features").info().features) {
      features.push_back({feature.name, feature.on, feature.reason});
    }
    return features;
  }
  for (const cpu::Feature& feature : cpu::features()) {
    features.push_back({std::string(feature.name), feature.present, std::string(feature.use)});
  }
  return features;
}

std::vector<DeviceListing> list_devices() {
  std::vector<DeviceListing> all;
  for (hal::Driver* driver : hal::all_drivers()) {
    const std::string why = driver->unavailable();
    const std::vector<hal::Candidate> found = why.empty() ? driver->candidates() : std::vector<hal::Candidate>{};
    if (found.empty()) all.push_back({driver->name(), "", "", why.empty() ? "it finds no device" : why, false, 0, {}});
    for (size_t i = 0; i < found.size(); ++i) {
      const hal::DeviceInfo& info = found[i].info;
      DeviceListing listing{std::string(driver->name()) + ":" + std::to_string(i),
                            info.name,
                            info.driver_version,
                            found[i].unusable,
                            info.type == hal::DeviceType::kSoftware,
                            info.memory_bytes,
                            {}};
      for (const hal::Feature& feature : info.features) {
        listing.features.push_back({feature.name, feature.on, feature.reason});
      }
      all.push_back(std::move(listing));
    }
  }
  return all;
}

int device_count(Device::DeviceType type) {
  if (type == Device::cpu) return 1;
  instance().devices().open_first_gpu();
  return instance().devices().count();
}

Stream default_stream(Device device) { return instance().streams().thread_default(device); }
void set_default_stream(Stream stream) { instance().streams().set_thread_default(stream); }
Stream new_stream(Device device) { return instance().streams().add(device); }
std::vector<Stream> get_streams() { return instance().streams().all(); }

void synchronize() { synchronize(default_stream(default_device())); }
void synchronize(Stream stream) {
  if (stream.device == Device::cpu) {
    instance().board().wait(instance().streams().cpu(stream.index).last());
  } else {
    instance().board().wait(instance().devices().gpu(stream.device.index, "synchronize").last());
  }
}

Stream to_stream(StreamOrDevice s) { return to_stream(s, default_device()); }

Stream to_stream(StreamOrDevice s, Device fallback) {
  if (const Stream* stream = std::get_if<Stream>(&s)) return *stream;
  if (const Device* device = std::get_if<Device>(&s)) return default_stream(*device);
  return default_stream(fallback);
}

}  // namespace plimsoll
