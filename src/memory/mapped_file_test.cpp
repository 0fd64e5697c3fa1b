#include "memory/mapped_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "plimsoll/errors.h"
#include "memory/fake_board.h"
#include "memory/system_source.h"

namespace plimsoll::memory {
namespace {

constexpr size_t kPage = 4096;

class MappedFileTest : public testing::Test {
 protected:
  MappedFileTest() : pool_(std::make_unique<SystemSource>(), {.memory = 64 * kPage}, board_) {
    std::string name = (std::filesystem::temp_directory_path() / "plimsoll_mapped_XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/file";
  }
  ~MappedFileTest() override { std::filesystem::remove_all(folder_); }

  void write(size_t bytes) {
    std::ofstream file(path_, std::ios::binary);
    for (size_t i = 0; i < bytes; ++i) file.put(static_cast<char>(i % 251));
  }

  std::string failure() {
    try {
      MappedFile file(pool_, path_);
    } catch (const FileError& error) {
      EXPECT_EQ(pool_.stats().mapped, 0u);
      return error.what();
    }
    return "no error";
  }

  FakeBoard board_;
  Pool pool_;
  std::string folder_;
  std::string path_;
};

TEST_F(MappedFileTest, MapsAndCountsWholePages) {
  write(3 * kPage + 100);
  {
    const MappedFile file(pool_, path_);
    ASSERT_EQ(file.bytes().size(), 3 * kPage + 100);
    EXPECT_EQ(file.bytes()[2 * kPage + 7], static_cast<std::byte>((2 * kPage + 7) % 251));
    EXPECT_EQ(pool_.stats().mapped, 4 * kPage);
    EXPECT_EQ(pool_.stats().peak, 4 * kPage);
    file.advise(MappedFile::Access::kSequential, 5, SIZE_MAX);
    file.advise(MappedFile::Access::kWillNeed, kPage, kPage);
    file.advise(MappedFile::Access::kRandom, SIZE_MAX, 1);
    EXPECT_EQ(file.bytes()[0], std::byte{0});
  }
  EXPECT_EQ(pool_.stats().mapped, 0u);
}

TEST_F(MappedFileTest, PagesLeaveWhenAllOfThemIsDiscarded) {
  write(4 * kPage + 10);
  MappedFile file(pool_, path_);
  file.discard(100, kPage);
  EXPECT_EQ(file.charged(), 5 * kPage) << "no page is whole";
  file.discard(0, 100);
  EXPECT_EQ(file.charged(), 4 * kPage);
  file.discard(0, kPage);
  EXPECT_EQ(file.charged(), 4 * kPage) << "twice counts once";
  file.discard(2 * kPage, kPage);
  EXPECT_EQ(file.charged(), 3 * kPage);
  file.discard(kPage + 50, kPage);
  EXPECT_EQ(file.charged(), 2 * kPage) << "joins its neighbours";
  file.discard(4 * kPage, SIZE_MAX);
  EXPECT_EQ(file.charged(), kPage) << "the end of the file completes its page";
  file.discard(SIZE_MAX, 1);
  file.discard(0, SIZE_MAX);
  EXPECT_EQ(file.charged(), 0u);
  EXPECT_EQ(pool_.stats().mapped, 0u);
}

TEST_F(MappedFileTest, RefusesWhatIsNoFileWithContent) {
  EXPECT_NE(failure().find("cannot be opened: No such file"), std::string::npos);
  write(0);
  EXPECT_NE(failure().find("is empty"), std::string::npos);
  path_ = folder_;
  EXPECT_NE(failure().find("is not a regular file"), std::string::npos);
}

TEST_F(MappedFileTest, NoticesThatTheFileShrank) {
  write(2 * kPage);
  const MappedFile file(pool_, path_);
  file.check_size();
  ASSERT_EQ(truncate(path_.c_str(), 10), 0);
  try {
    file.check_size();
    ADD_FAILURE() << "not noticed";
  } catch (const FileError& error) {
    EXPECT_EQ(error.what(), "[" + path_ + "] has shrunk from 8192 to 10 bytes while it was in use");
  }
}

TEST_F(MappedFileTest, IsRefusedBeforeItIsMappedWhenItCannotFit) {
  write(65 * kPage);
  try {
    const MappedFile file(pool_, path_);
    ADD_FAILURE() << "not refused";
  } catch (const OutOfMemory& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(path_), std::string::npos) << message;
    EXPECT_NE(message.find("raise --memory-limit (set_memory_limit) by at least 4KiB"), std::string::npos) << message;
  }
  EXPECT_EQ(pool_.stats().mapped, 0u);
}

}  // namespace
}  // namespace plimsoll::memory
