// A family of devices behind one native interface, and the list of those that this build knows.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hal/device.h"
#include "hal/device_info.h"

namespace plimsoll::hal {

// A device that is there. `unusable`: why it cannot be opened, empty if it can.
struct Candidate {
  DeviceInfo info;
  std::string unusable;
};

class Driver {
 public:
  Driver() = default;
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  virtual const char* name() const noexcept = 0;  // "vulkan"

  // Why the driver cannot work here ("no Vulkan loader: libvulkan.so.1 ..."); empty if it can.
  virtual std::string unavailable() const = 0;

  // Devices in the driver's order. Software devices come last: they are used only when asked for.
  virtual std::vector<Candidate> candidates() = 0;

  // The index counts candidates(). Throws DeviceError saying what is missing.
  virtual std::unique_ptr<Device> open(size_t index) = 0;

  // A device by a name that is no index ("m1max-32" for sim). Throws DeviceError listing what there is.
  virtual std::unique_ptr<Device> open(std::string_view name);
};

// The driver of that name; null when this build has none. Drivers are made on first use and kept.
Driver* find_driver(std::string_view name);
std::vector<Driver*> all_drivers();

}  // namespace plimsoll::hal
