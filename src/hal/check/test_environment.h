// For test programs: every device that they open stands behind a checker, and whatever it finds fails the program.
//
//   const auto* const validation = testing::AddGlobalTestEnvironment(new hal::check::TestEnvironment);
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "hal/check/environment.h"

namespace plimsoll::hal::check {

class TestEnvironment final : public testing::Environment {
 public:
  // Before any other environment opens a device. A value that is there already stands.
  TestEnvironment() { setenv("PLIMSOLL_VALIDATE", "1", 0); }

  void TearDown() override {
    const Counts counts = process_report()->counts();
    for (const Finding& finding : process_report()->findings()) ADD_FAILURE() << describe(finding);
    EXPECT_EQ(counts.findings, 0u) << "of " << counts.lists << " lists with " << counts.commands << " commands";
  }
};

}  // namespace plimsoll::hal::check
