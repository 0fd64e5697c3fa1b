#include "hal/drivers/sim/driver.h"

#include <algorithm>
#include <string>
#include <utility>

#include "hal/drivers/sim/device.h"
#include "hal/drivers/sim/presets.h"

namespace plimsoll::hal::sim {
namespace {

class SimDriver final : public Driver {
 public:
  const char* name() const noexcept override { return "sim"; }
  std::string unavailable() const override { return {}; }

  std::vector<Candidate> candidates() override {
    std::vector<Candidate> found;
    for (Machine& machine : presets()) found.push_back({std::move(machine.info), {}});
    return found;
  }

  std::unique_ptr<hal::Device> open(size_t index) override {
    std::vector<Machine> machines = presets();
    if (index >= machines.size()) return Driver::open(std::to_string(index));
    return std::make_unique<Device>(std::move(machines[index]));
  }

  std::unique_ptr<hal::Device> open(std::string_view device) override {
    std::vector<Machine> machines = presets();
    const auto named =
        std::find_if(machines.begin(), machines.end(), [&](const Machine& m) { return m.info.name == device; });
    if (named == machines.end()) return Driver::open(device);
    return std::make_unique<Device>(std::move(*named));
  }
};

}  // namespace

std::unique_ptr<Driver> make_driver() { return std::make_unique<SimDriver>(); }

}  // namespace plimsoll::hal::sim
