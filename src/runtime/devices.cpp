#include "runtime/devices.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "base/log.h"
#include "base/quote.h"
#include "hal/check/environment.h"
#include "hal/driver.h"
#include "memory/limits.h"
#include "memory/system_source.h"
#include "runtime/runtime.h"

namespace plimsoll::runtime {
namespace {

constexpr double kShareOfCard = 0.9;  // of a discrete card's memory budget

struct ParsedName {
  std::string driver;
  std::string device;  // empty: the first
};

ParsedName parse(const std::string& name) {
  const size_t colon = name.find(':');
  if (colon == std::string::npos) return {name, ""};
  return {name.substr(0, colon), name.substr(colon + 1)};
}

hal::Driver& driver_of(const std::string& driver) {
  if (hal::Driver* found = hal::find_driver(driver)) {
    if (const std::string why = found->unavailable(); !why.empty()) {
      throw DeviceError(fmt::format("[{}] not available: {}", driver, why));
    }
    return *found;
  }
  std::string known = "cpu";
  for (const hal::Driver* driver_known : hal::all_drivers()) known += std::string(", ") + driver_known->name();
  throw DeviceError(fmt::format("[device] there is no driver named {}; this build has {}", base::quote(driver), known));
}

std::unique_ptr<hal::Device> open_hal(const ParsedName& name) {
  hal::Driver& driver = driver_of(name.driver);
  if (name.device.empty()) return driver.open(size_t{0});
  size_t index = 0;
  const char* const end = name.device.data() + name.device.size();
  const auto [stopped, error] = std::from_chars(name.device.data(), end, index);
  if (error == std::errc{} && stopped == end) return driver.open(index);
  return driver.open(std::string_view(name.device));
}

memory::Limits limits_of(const hal::Device& device, const memory::SystemProbe& probe) {
  memory::Limits limits = memory::choose_limits(probe, std::nullopt).limits;
  const hal::DeviceInfo& info = device.info();
  if (info.type == hal::DeviceType::kDiscrete || info.type == hal::DeviceType::kSimulated) {
    limits.memory = static_cast<size_t>(static_cast<double>(device.memory_budget().budget) * kShareOfCard);
  } else {
    limits.memory = std::min(limits.memory, info.memory_bytes);
  }
  limits.objects = std::min(limits.objects, info.max_allocations);
  return limits;
}

}  // namespace

// The host works in the memory of the first device that shares it, for as long as that is there.
std::unique_ptr<GpuDevice> Devices::make(const std::string& name, const Opener& opener) {
  std::unique_ptr<hal::Device> device = hal::check::wrap_if_asked(opener());
  const memory::Limits limits = limits_of(*device, runtime_.probe());
  const memory::Limits staging = memory::choose_limits(runtime_.probe(), std::nullopt).limits;
  auto made = std::make_unique<GpuDevice>(std::move(device), name, runtime_.board(), limits, staging);
  const GpuDevice* const host = find_owner(runtime_.pool().get());
  if (made->info().unified && (host == nullptr || host->is_lost())) runtime_.move_to_pool(made->pool());
  return made;
}

Device Devices::open(const std::string& name) {
  if (name == "cpu") return Device::cpu;
  return open(name, [name] { return open_hal(parse(name)); });
}

Device Devices::open(const std::string& name, Opener opener) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i]->device->name() == name) return {Device::gpu, static_cast<int>(i)};
  }
  auto slot = std::make_unique<Slot>();
  slot->device = make(name, opener);
  slot->opener = std::move(opener);
  slots_.push_back(std::move(slot));
  return {Device::gpu, static_cast<int>(slots_.size()) - 1};
}

void Devices::open_first_gpu() {
  {
    const std::lock_guard lock(mutex_);
    if (looked_for_gpu_ || !slots_.empty()) return;
    looked_for_gpu_ = true;
  }
  for (hal::Driver* driver : hal::all_drivers()) {
    if (!driver->unavailable().empty()) continue;
    const std::vector<hal::Candidate> found = driver->candidates();
    for (size_t i = 0; i < found.size(); ++i) {
      const hal::DeviceType type = found[i].info.type;
      const bool real = type == hal::DeviceType::kDiscrete || type == hal::DeviceType::kIntegrated;
      if (!real || !found[i].unusable.empty()) continue;
      open(fmt::format("{}:{}", driver->name(), i));
      return;
    }
  }
}

int Devices::count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(slots_.size());
}

GpuDevice& Devices::gpu(int index, const char* function) const {
  const std::lock_guard lock(mutex_);
  if (index >= 0 && index < static_cast<int>(slots_.size())) return *slots_[index]->device;
  throw std::invalid_argument(
      fmt::format("[{}] there is no gpu:{}; {} GPU(s) are open", function, index, slots_.size()));
}

GpuDevice& Devices::for_new_work(int index) {
  GpuDevice& device = gpu(index, "eval");
  if (!device.is_lost()) return device;
  const std::lock_guard lock(mutex_);
  Slot& slot = *slots_[index];
  if (!slot.device->is_lost()) return *slot.device;
  if (slot.reopened) slot.device->throw_lost("eval");
  slot.reopened = true;
  std::unique_ptr<GpuDevice> fresh = make(slot.device->name(), slot.opener);
  base::log_warning(
      fmt::format("[{}] the device was lost and is opened anew; what lived on it is gone", fresh->name()));
  slot.lost.push_back(std::exchange(slot.device, std::move(fresh)));
  return *slot.device;
}

GpuDevice* Devices::of_pool(const memory::Pool* pool) const {
  const std::lock_guard lock(mutex_);
  return find_owner(pool);
}

GpuDevice* Devices::find_owner(const memory::Pool* pool) const {
  for (const auto& slot : slots_) {
    if (slot->device->pool().get() == pool) return slot->device.get();
    for (const auto& lost : slot->lost) {
      if (lost->pool().get() == pool) return lost.get();
    }
  }
  return nullptr;
}

bool Devices::leave_lost_pool() {
  const GpuDevice* const owner = of_pool(runtime_.pool().get());
  if (owner == nullptr || !owner->is_lost()) return false;
  runtime_.move_to_pool(std::make_shared<memory::Pool>(std::make_unique<memory::SystemSource>(),
                                                       memory::choose_limits(runtime_.probe(), std::nullopt).limits,
                                                       runtime_.board()));
  return true;
}

void Devices::settle() const {
  for (int i = 0; i < count(); ++i) runtime_.board().wait(gpu(i, "eval").last());
}

void Devices::join() {
  std::vector<GpuDevice*> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& slot : slots_) {
      all.push_back(slot->device.get());
      for (const auto& lost : slot->lost) all.push_back(lost.get());
    }
  }
  for (GpuDevice* device : all) device->join();
}

}  // namespace plimsoll::runtime
