#include <array>
#include <fstream>
#include <iterator>
#include <thread>

#include "plimsoll/errors.h"
#include "hal/drivers/vulkan/test_device.h"

namespace plimsoll::hal::vulkan {
namespace {

class VulkanKernelTest : public VulkanSourceTest {
 protected:
  // What the kernel adds up, from 1 and 10.
  uint32_t sum_with(const hal::Kernel& kernel) {
    const Buffer a = allocate(4), b = allocate(4), c = allocate(4);
    *as<uint32_t>(a) = 1;
    *as<uint32_t>(b) = 10;
    const auto list = device_->new_command_list();
    list->dispatch(dispatch_of(kernel, AddParameters{0, 1, a.address, b.address, c.address}, 1));
    EXPECT_EQ(run(*list), Status::kOk);
    return *as<uint32_t>(c);
  }

  std::vector<std::filesystem::path> files(const char* folder) const {
    std::vector<std::filesystem::path> found;
    std::error_code none;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home_.folder() / folder, none)) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
    return found;
  }
};

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_all(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

TEST_F(VulkanKernelTest, ConstantsMakeKernelsOfTheirOwn) {
  const uint32_t two = 2, three = 3;
  const hal::Kernel& plain = device_->kernel_from_source("add", kAddSource, {});
  const hal::Kernel& doubled = device_->kernel_from_source("add", kAddSource, std::span(&two, 1));
  const hal::Kernel& tripled = device_->kernel_from_source("add", kAddSource, std::span(&three, 1));
  EXPECT_EQ(&device_->kernel_from_source("add", kAddSource, std::span(&two, 1)), &doubled);
  EXPECT_STREQ(doubled.name(), "add");
  EXPECT_EQ(sum_with(plain), 11U);
  EXPECT_EQ(sum_with(doubled), 21U);
  EXPECT_EQ(sum_with(tripled), 31U);
}

TEST_F(VulkanKernelTest, WhatDoesNotCompileNamesTheKernelAndTheLine) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      device_->kernel_from_source("broken", "#version 460\nvoid main() { nonsense; }\n", {});
      FAIL() << "it compiled";
    } catch (const DeviceError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("[broken] the kernel does not compile:")) << error.what();
      EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos) << error.what();
    }
  }
}

TEST_F(VulkanKernelTest, AKernelWithoutCodeIsRefusedByName) {
  const KernelCode none = {.name = "empty", .spirv = {}, .hash = 0};
  EXPECT_THROW(
      try { device_->kernel(none, {}); } catch (const DeviceError& error) {
        EXPECT_STREQ(error.what(), "[empty] the kernel has no SPIR-V in this build");
        throw;
      },
      DeviceError);
}

TEST_F(VulkanKernelTest, ThreadsThatWantTheSameKernelGetOne) {
  std::array<const hal::Kernel*, 6> made{};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < made.size(); ++i) {
    threads.emplace_back([&, i] {
      const uint32_t scale = static_cast<uint32_t>(i % 2) + 1;
      made[i] = &device_->kernel_from_source("add", kAddSource, std::span(&scale, 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 2; i < made.size(); ++i) EXPECT_EQ(made[i], made[i - 2]);
  EXPECT_NE(made[0], made[1]);
}

TEST_F(VulkanKernelTest, CompiledSourceIsKeptOnDisk) {
  device_->kernel_from_source("add", kAddSource, {});
  ASSERT_EQ(files("spirv").size(), 1U);
  const auto written = std::filesystem::last_write_time(files("spirv")[0]);
  const auto other = driver_->open(size_t{0});
  EXPECT_STREQ(other->kernel_from_source("add", kAddSource, {}).name(), "add");
  EXPECT_EQ(std::filesystem::last_write_time(files("spirv")[0]), written);
}

TEST_F(VulkanKernelTest, DamagedFilesAreMadeAgain) {
  device_->kernel_from_source("add", kAddSource, {});
  for (const char* folder : {"spirv", "pipelines"}) {
    for (const auto& path : files(folder)) {
      const std::string whole_file = read_all(path);
      std::string damaged = whole_file;
      damaged[damaged.size() / 2] ^= 1;
      write_all(path, damaged);
      const auto other = driver_->open(size_t{0});
      other->kernel_from_source("add", kAddSource, {});
      EXPECT_NE(read_all(path), damaged) << path;
    }
  }
}

TEST_F(VulkanKernelTest, PipelinesAreKeptOnDisk) {
  device_->kernel_from_source("add", kAddSource, {});
  const auto kept = files("pipelines");
  if (kept.empty()) GTEST_SKIP() << "no Vulkan device that gives its compiled pipelines away";
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].parent_path().filename(), device_->info().identity);
  const std::string before = read_all(kept[0]);
  const auto other = driver_->open(size_t{0});
  other->kernel_from_source("add", kAddSource, {});
  EXPECT_EQ(read_all(kept[0]), before);
}

}  // namespace
}  // namespace plimsoll::hal::vulkan
