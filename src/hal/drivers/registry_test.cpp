#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "hal/driver.h"

namespace plimsoll::hal {
namespace {

TEST(RegistryTest, DriversAreFoundByTheirNamesAndKept) {
  const std::vector<Driver*> drivers = all_drivers();
  for (const char* name : {"sim", "null"}) {
    Driver* driver = find_driver(name);
    ASSERT_NE(driver, nullptr) << name;
    EXPECT_STREQ(driver->name(), name);
    EXPECT_NE(std::find(drivers.begin(), drivers.end(), driver), drivers.end()) << name;
  }
  for (Driver* driver : drivers) EXPECT_EQ(find_driver(driver->name()), driver);
}

TEST(RegistryTest, AnUnknownNameIsNull) { EXPECT_EQ(find_driver("abacus"), nullptr); }

}  // namespace
}  // namespace plimsoll::hal
