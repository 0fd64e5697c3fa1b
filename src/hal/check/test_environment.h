// For test programs: every device that they open stands behind a checker, and whatever it finds fails the test that is
// running.
//
//   const auto* const validation = testing::AddGlobalTestEnvironment(new hal::check::TestEnvironment);
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <vector>

#include "hal/check/environment.h"

namespace plimsoll::hal::check {

class TestEnvironment final : public testing::Environment {
 public:
  // Before any other environment opens a device. A value that is there already stands.
  TestEnvironment() { setenv("PLIMSOLL_VALIDATE", "1", 0); }

  void SetUp() override { testing::UnitTest::GetInstance()->listeners().Append(new Listener); }

  // What was found outside of any test.
  void TearDown() override {
    const Counts counts = process_report()->counts();
    EXPECT_EQ(counts.findings, 0u) << "of " << counts.lists << " lists with " << counts.commands << " commands";
  }

 private:
  class Listener final : public testing::EmptyTestEventListener {
    void OnTestEnd(const testing::TestInfo&) override {
      const std::vector<Finding> findings = process_report()->findings();
      for (; told_ < findings.size(); ++told_) ADD_FAILURE() << describe(findings[told_]);
    }
    size_t told_ = 0;
  };
};

}  // namespace plimsoll::hal::check
