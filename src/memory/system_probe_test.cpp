#include "memory/system_probe.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace plimsoll::memory {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

// A tree of system files of its own.
class SystemProbeTest : public testing::Test {
 protected:
  SystemProbeTest() {
    std::string name = (std::filesystem::temp_directory_path() / "plimsoll_probe_XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~SystemProbeTest() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::string root_;
};

TEST_F(SystemProbeTest, SaysNothingWhereThereIsNothing) {
  const auto probe = make_system_probe(root_);
  EXPECT_EQ(probe->ram(), 0u);
  EXPECT_EQ(probe->available(), std::nullopt);
  EXPECT_EQ(probe->group_limit(), std::nullopt);
  EXPECT_EQ(probe->footprint(), 0u);
}

TEST_F(SystemProbeTest, ReadsTheMachineAnewEachTime) {
  write("/proc/meminfo", "MemTotal:       2048 kB\nMemFree: 1 kB\nMemAvailable:    1024 kB\n");
  const auto probe = make_system_probe(root_);
  EXPECT_EQ(probe->ram(), 2 * kMiB);
  EXPECT_EQ(probe->available(), 1 * kMiB);
  write("/proc/meminfo", "MemTotal: 2048 kB\nMemAvailable: 512 kB\n");
  EXPECT_EQ(probe->available(), kMiB / 2);
}

TEST_F(SystemProbeTest, FindsTheLeastLimitOfVersionTwo) {
  write("/proc/self/cgroup", "0::/user/job\n");
  write("/sys/fs/cgroup/user/job/memory.max", "max\n");
  write("/sys/fs/cgroup/user/memory.max", "1048576\n");
  const auto probe = make_system_probe(root_);
  EXPECT_EQ(probe->group_limit(), kMiB);
  write("/sys/fs/cgroup/user/job/memory.max", "65536\n");
  EXPECT_EQ(probe->group_limit(), 65536u);
}

TEST_F(SystemProbeTest, FindsTheLimitOfVersionOne) {
  write("/proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/box/inner\n0::/\n");
  write("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "2097152\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(make_system_probe(root_)->group_limit(), 2 * kMiB);
}

TEST_F(SystemProbeTest, FindsTheLimitInsideAContainerWhosePathIsNotMounted) {
  write("/proc/self/cgroup", "0::/../host/path\n");
  write("/sys/fs/cgroup/memory.max", "4194304\n");
  EXPECT_EQ(make_system_probe(root_)->group_limit(), 4 * kMiB);
}

TEST_F(SystemProbeTest, FallsBackToThePagesOfStatm) {
  write("/proc/self/statm", "100 7 1 1 0 1 0\n");
  EXPECT_EQ(make_system_probe(root_)->footprint(), 7u * 4096u);
}

TEST(SystemProbe, SeesThisProcessGrow) {
  const auto probe = make_system_probe();
  EXPECT_GT(probe->ram(), probe->available().value_or(0));
  const size_t before = probe->footprint();
  EXPECT_GT(before, 0u);
  const std::vector<char> grown(64 * kMiB, 1);
  EXPECT_GE(probe->footprint(), before + 60 * kMiB);
}

}  // namespace
}  // namespace plimsoll::memory
