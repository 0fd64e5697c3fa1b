#include "hal/drivers/vulkan/disk_cache.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <unistd.h>

namespace plimsoll::hal::vulkan {
namespace {

class DiskCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("plimsoll_disk_cache_" + std::to_string(getpid()));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& key) const {
    std::ifstream stream(folder_ / key, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& key, const std::string& content) const {
    std::ofstream(folder_ / key, std::ios::binary) << content;
  }

  std::filesystem::path folder_;
};

TEST_F(DiskCacheTest, KeepsWhatWasStored) {
  const DiskCache cache(folder_ / "a" / "b", "owner");
  EXPECT_FALSE(cache.load("key").has_value());
  const std::string content("\0binary\n\xff", 9);
  cache.store("key", content);
  EXPECT_EQ(cache.load("key"), content);
  cache.store("key", "newer");
  EXPECT_EQ(cache.load("key"), "newer");
  cache.store("empty", "");
  EXPECT_EQ(cache.load("empty"), "");
}

TEST_F(DiskCacheTest, EveryDamagedByteAndLengthCountsAsAbsent) {
  const DiskCache cache(folder_, "owner");
  cache.store("key", "some content");
  const std::string whole = file("key");
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] ^= 0x20;
    write("key", damaged);
    EXPECT_FALSE(cache.load("key").has_value()) << "byte " << i;
    write("key", whole.substr(0, i));
    EXPECT_FALSE(cache.load("key").has_value()) << "length " << i;
  }
  write("key", whole + "x");
  EXPECT_FALSE(cache.load("key").has_value());
  write("key", whole);
  EXPECT_TRUE(cache.load("key").has_value());
}

TEST_F(DiskCacheTest, ForeignFilesCountAsAbsent) {
  const DiskCache mine(folder_, "device 1"), other(folder_, "device 2");
  other.store("key", "content");
  EXPECT_FALSE(mine.load("key").has_value());
  // Renamed: the same owner's, of another key.
  std::filesystem::rename(folder_ / "key", folder_ / "renamed");
  EXPECT_FALSE(other.load("renamed").has_value());
}

TEST_F(DiskCacheTest, WhatCannotBeWrittenIsNotKept) {
  std::ofstream(folder_, std::ios::binary) << "a file where the folder should be";
  const DiskCache cache(folder_, "owner");
  cache.store("key", "content");
  EXPECT_FALSE(cache.load("key").has_value());
}

}  // namespace
}  // namespace plimsoll::hal::vulkan
