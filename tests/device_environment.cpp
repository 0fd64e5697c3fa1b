// Skips the suite, naming the device, where PLIMSOLL_DEVICE asks for one that this machine does not have.
#include <gtest/gtest.h>

#include "plimsoll/device.h"
#include "plimsoll/errors.h"

namespace {

class DeviceIsThere : public testing::Environment {
 public:
  void SetUp() override {
    try {
      plimsoll::default_device();
    } catch (const plimsoll::DeviceError& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

const auto* const kRegistered = testing::AddGlobalTestEnvironment(new DeviceIsThere);

}  // namespace
