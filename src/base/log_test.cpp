#include "base/log.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::base {
namespace {

TEST(Log, ReachesTheSinkAndNothingElse) {
  std::vector<std::string> seen;
  log_warning("dropped");
  set_log_sink([&](LogLevel level, std::string_view message) {
    seen.push_back((level == LogLevel::kWarning ? "W " : "I ") + std::string(message));
  });
  log_warning("one");
  log_info("two");
  set_log_sink({});
  log_warning("dropped");
  EXPECT_EQ(seen, (std::vector<std::string>{"W one", "I two"}));
}

TEST(Log, SinkMayReplaceItself) {
  int calls = 0;
  set_log_sink([&](LogLevel, std::string_view) {
    ++calls;
    set_log_sink({});
  });
  log_info("first");
  log_info("second");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace plimsoll::base
