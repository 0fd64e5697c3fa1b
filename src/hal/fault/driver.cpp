#include "hal/fault/driver.h"

#include <utility>

#include "hal/fault/device.h"

namespace plimsoll::hal::fault {
namespace {

class FaultDriver final : public Driver {
 public:
  FaultDriver(Driver& inner, std::shared_ptr<Plan> plan, const Caps& caps)
      : inner_(inner), plan_(std::move(plan)), caps_(caps) {}

  const char* name() const noexcept override { return inner_.name(); }
  std::string unavailable() const override { return inner_.unavailable(); }
  std::vector<Candidate> candidates() override { return inner_.candidates(); }
  std::unique_ptr<hal::Device> open(size_t index) override { return wrap(inner_.open(index)); }
  std::unique_ptr<hal::Device> open(std::string_view device) override { return wrap(inner_.open(device)); }

 private:
  std::unique_ptr<hal::Device> wrap(std::unique_ptr<hal::Device> device) const {
    return std::make_unique<Device>(std::move(device), plan_, caps_);
  }

  Driver& inner_;
  const std::shared_ptr<Plan> plan_;
  const Caps caps_;
};

}  // namespace

std::unique_ptr<Driver> make_driver(Driver& inner, std::shared_ptr<Plan> plan, const Caps& caps) {
  return std::make_unique<FaultDriver>(inner, std::move(plan), caps);
}

}  // namespace plimsoll::hal::fault
