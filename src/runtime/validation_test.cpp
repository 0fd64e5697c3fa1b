// The hazard checker judges whatever these tests send to a device.
#include "hal/check/test_environment.h"

namespace plimsoll::runtime {
namespace {

[[maybe_unused]] const auto* const validation = testing::AddGlobalTestEnvironment(new hal::check::TestEnvironment);

}  // namespace
}  // namespace plimsoll::runtime
