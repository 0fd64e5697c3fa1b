// The hazard checker judges whatever a test program sends to a device.
#include "hal/check/test_environment.h"

namespace {

[[maybe_unused]] const auto* const validation =
    testing::AddGlobalTestEnvironment(new plimsoll::hal::check::TestEnvironment);

}  // namespace
