// `plimsoll devices`: what work can run on.
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "plimsoll/device.h"
#include "plimsoll/memory.h"
#include "base/bytes.h"
#include "base/parallel.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/exit_codes.h"
#include "cli/output.h"

namespace plimsoll::cli {

namespace {

std::string text_property(const Device& device, const char* name) {
  const auto& info = device_info(device);
  const auto found = info.find(name);
  if (found == info.end() || !std::holds_alternative<std::string>(found->second)) return "unknown";
  return std::get<std::string>(found->second);
}

size_t size_property(const Device& device, const char* name) {
  const auto& info = device_info(device);
  const auto found = info.find(name);
  if (found == info.end() || !std::holds_alternative<size_t>(found->second)) return 0;
  return std::get<size_t>(found->second);
}

std::string limit_text(size_t bytes) { return bytes == SIZE_MAX ? "none" : base::format_bytes(bytes); }

Json features_json(const Device& device) {
  Json features = Json::array();
  for (const DeviceFeature& feature : device_features(device)) {
    features.push_back({{"name", feature.name}, {"present", feature.present}, {"use", feature.use}});
  }
  return features;
}

Json cpu_json() {
  const Device cpu = Device::cpu;
  const MemoryStats stats = memory_stats();
  return {
      {"name", "cpu"},
      {"available", true},
      {"architecture", text_property(cpu, "architecture")},
      {"cores", std::thread::hardware_concurrency()},
      {"threads", base::num_threads()},
      {"instructions", text_property(cpu, "kernel_target")},
      {"total_memory", size_property(cpu, "total_memory")},
      {"available_memory", stats.available},
      {"can_wire", can_wire()},
      {"object_limit", stats.object_limit == SIZE_MAX ? Json(nullptr) : Json(stats.object_limit)},
      {"memory", memory_json(stats)},
      {"features", features_json(cpu)},
  };
}

void print_cpu() {
  const Device cpu = Device::cpu;
  const MemoryStats stats = memory_stats();
  print("cpu\n");
  print(fmt::format("  {:<16}{}\n", "architecture", text_property(cpu, "architecture")));
  print(fmt::format("  {:<16}{}, {} threads\n", "cores", std::thread::hardware_concurrency(), base::num_threads()));
  print(fmt::format("  {:<16}{}, {} available\n", "memory", base::format_bytes(size_property(cpu, "total_memory")),
                    base::format_bytes(stats.available)));
  print(fmt::format("  {:<16}{}; cache {}; wired {}\n", "limits", limit_text(stats.limit),
                    limit_text(stats.cache_limit), can_wire() ? limit_text(stats.wired_limit) : "not possible"));
  print(fmt::format("  {:<16}{}\n", "kernels run on", text_property(cpu, "kernel_target")));
  for (const DeviceFeature& feature : device_features(cpu)) {
    print(fmt::format("  {:<16}{:<4}{}\n", feature.name, feature.present ? "yes" : "no", feature.use));
  }
}

Json listing_json(const DeviceListing& device) {
  Json features = Json::array();
  for (const DeviceFeature& feature : device.features) {
    features.push_back({{"name", feature.name}, {"present", feature.present}, {"use", feature.use}});
  }
  return {
      {"name", device.name},
      {"available", device.unusable.empty()},
      {"reason", device.unusable.empty() ? Json(nullptr) : Json(device.unusable)},
      {"description", device.description},
      {"driver_version", device.driver_version},
      {"software", device.software},
      {"total_memory", device.total_memory},
      {"features", features},
  };
}

void print_listing(const DeviceListing& device) {
  print(fmt::format("{}{}\n", device.name, device.software ? " (software: used only when named)" : ""));
  if (!device.unusable.empty()) print(fmt::format("  {:<34}{}\n", "off", device.unusable));
  if (device.description.empty()) return;
  print(fmt::format("  {:<34}{}\n", "device", device.description));
  print(fmt::format("  {:<34}{}\n", "driver", device.driver_version));
  print(fmt::format("  {:<34}{}\n", "memory", base::format_bytes(device.total_memory)));
  for (const DeviceFeature& feature : device.features) {
    print(fmt::format("  {:<34}{:<4}{}\n", feature.name, feature.present ? "yes" : "no", feature.use));
  }
}

// The machines of the simulator and the null device run nothing: they are named in the documentation, not here.
bool runs_kernels(const DeviceListing& device) {
  return device.name.rfind("sim", 0) != 0 && device.name.rfind("null", 0) != 0;
}

int run_devices(const CommonOptions& options) {
  apply(options);
  std::vector<DeviceListing> found = list_devices();
  std::erase_if(found, [](const DeviceListing& device) { return !runs_kernels(device); });
  if (options.json) {
    Json all = Json::array({cpu_json()});
    for (const DeviceListing& device : found) all.push_back(listing_json(device));
    print_json({{"devices", all}});
    return kDone;
  }
  print_cpu();
  for (const DeviceListing& device : found) print_listing(device);
  return kDone;
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App& command = *app.add_subcommand("devices", "every device with memory, limits, features, what is off and why");
  command.footer("Example:\n  plimsoll devices --json");
  add_common_options(command, *options);
  command.callback([options, &action] { action = [options] { return run_devices(*options); }; });
}

}  // namespace plimsoll::cli
