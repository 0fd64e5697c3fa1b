#include "base/env.h"

#include <cstdlib>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::base {
namespace {

constexpr const char* kName = "PLIMSOLL_TEST_VARIABLE";

class Env : public testing::Test {
 protected:
  void TearDown() override { unsetenv(kName); }
  static void set(const char* value) { setenv(kName, value, 1); }
};

TEST_F(Env, UnsetAndEmptyAreNoValue) {
  EXPECT_EQ(env_string(kName), std::nullopt);
  set("");
  EXPECT_EQ(env_string(kName), std::nullopt);
  EXPECT_EQ(env_int(kName, 0, 9), std::nullopt);
  EXPECT_EQ(env_bool(kName), std::nullopt);
  EXPECT_EQ(env_bytes(kName), std::nullopt);
}

TEST_F(Env, ReadsEachType) {
  set("42");
  EXPECT_EQ(env_int(kName, 1, 100), 42);
  EXPECT_EQ(env_bytes(kName), 42u);
  EXPECT_EQ(env_string(kName), "42");
  set("off");
  EXPECT_EQ(env_bool(kName), false);
  set("1");
  EXPECT_EQ(env_bool(kName), true);
  set("2GiB");
  EXPECT_EQ(env_bytes(kName), 2ull << 30);
}

TEST_F(Env, RefusalNamesVariableAndValue) {
  set("12x");
  EXPECT_THAT([] { env_int(kName, 1, 100); },
              testing::ThrowsMessage<std::invalid_argument>(
                  "[PLIMSOLL_TEST_VARIABLE] expected an integer from 1 to 100, found '12x'"));
  EXPECT_THROW(env_bool(kName), std::invalid_argument);
  EXPECT_THROW(env_bytes(kName), std::invalid_argument);
  set("101");
  EXPECT_THROW(env_int(kName, 1, 100), std::invalid_argument);
}

}  // namespace
}  // namespace plimsoll::base
