#include "base/file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plimsoll/errors.h"

namespace plimsoll::base {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "plimsoll_file_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const char* name) const { return (folder_ / name).string(); }
  size_t entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

// Makes writes beyond `bytes` of any file fail, as a full disk does.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_;
  void (*handler_)(int);
};

TEST_F(Files, WritesAndReadsBack) {
  write_file_atomically(at("a"), "hello");
  EXPECT_EQ(read_file(at("a"), 5), "hello");
  write_file_atomically(at("a"), "");
  EXPECT_EQ(read_file(at("a"), 0), "");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, ReadRefusesMissingLargeAndFolder) {
  write_file_atomically(at("a"), "hello");
  EXPECT_THAT([&] { read_file(at("a"), 4); },
              testing::ThrowsMessage<FileError>(testing::HasSubstr("has 5B, more than the 4B")));
  EXPECT_THAT([&] { read_file(at("b"), 4); },
              testing::ThrowsMessage<FileError>(testing::HasSubstr("/b] cannot open: No such file")));
  EXPECT_THROW(read_file(folder_.string(), 4), FileError);
}

TEST_F(Files, UncommittedWriteLeavesTheOldFile) {
  write_file_atomically(at("a"), "old");
  {
    AtomicFile file(at("a"));
    file.write("new");
    EXPECT_EQ(file.bytes_written(), 3u);
    EXPECT_EQ(read_file(at("a"), 9), "old");
  }
  EXPECT_EQ(read_file(at("a"), 9), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, FullDiskLeavesTheOldFile) {
  write_file_atomically(at("a"), "old");
  {
    const FileSizeLimit limit(1000);
    EXPECT_THAT([&] { write_file_atomically(at("a"), std::string(5000, 'x')); },
                testing::ThrowsMessage<WriteError>(testing::HasSubstr("/a] cannot write: File too large")));
  }
  EXPECT_EQ(read_file(at("a"), 9), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, WriteRefusesMissingFolderAndFolderAsTarget) {
  EXPECT_THROW(write_file_atomically(at("none/a"), "x"), WriteError);
  make_folders(at("d/e"));
  EXPECT_THROW(write_file_atomically(at("d"), "x"), WriteError);
  EXPECT_TRUE(fs::is_directory(at("d")));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, KeepsPermissionsAndFollowsLinks) {
  write_file_atomically(at("a"), "old");
  ASSERT_EQ(chmod(at("a").c_str(), 0600), 0);
  fs::create_symlink("a", at("link"));
  write_file_atomically(at("link"), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(read_file(at("a"), 9), "new");
  EXPECT_EQ(fs::status(at("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Files, MakeFoldersRefusesWhereAFileStands) {
  write_file_atomically(at("a"), "x");
  EXPECT_THROW(make_folders(at("a/b")), WriteError);
}

TEST(PlimsollHome, FollowsTheEnvironment) {
  const char* before = std::getenv("PLIMSOLL_HOME");
  const std::string kept = before != nullptr ? before : "";
  setenv("PLIMSOLL_HOME", "/models", 1);
  EXPECT_EQ(plimsoll_home(), "/models");
  unsetenv("PLIMSOLL_HOME");
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(plimsoll_home(), "/cache/plimsoll");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(plimsoll_home(), "/home/someone/.cache/plimsoll");
  if (!kept.empty()) setenv("PLIMSOLL_HOME", kept.c_str(), 1);
}

}  // namespace
}  // namespace plimsoll::base
