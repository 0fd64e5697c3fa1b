#include "io/safetensors_writer.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plimsoll/errors.h"

#include "base/file.h"

namespace plimsoll::io {
namespace {

class SafetensorsWriter : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  static SafetensorsItem item(const std::string& name, SafetensorsDtype dtype, std::vector<int32_t> shape,
                              std::string content) {
    return {name, dtype, std::move(shape), [text = std::move(content)] { return std::as_bytes(std::span(text)); }};
  }

  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("plimsoll_writer_" + std::to_string(getpid()))).string();
};

TEST_F(SafetensorsWriter, WritesWhatTheParserReads) {
  write_safetensors(
      path_,
      {item("b\"\xc3\xa9", SafetensorsDtype::kU8, {3}, "abc"), item("e", SafetensorsDtype::kF32, {0, 4}, ""),
       item("a", SafetensorsDtype::kF64, {1, 1}, "12345678"), item("s", SafetensorsDtype::kI16, {}, "xy")},
      {{"format", "plimsoll"}, {"note", "line\nbreak"}});
  const std::string content = base::read_file(path_, 1000);
  const auto file = parse_safetensors(std::as_bytes(std::span(content)), path_);
  ASSERT_EQ(file.tensors().size(), 4u);
  for (const SafetensorsTensor& tensor : file.tensors()) EXPECT_EQ(tensor.offset % (info(tensor.dtype).bits / 8), 0u);
  const auto read = file.tensor_bytes(file.tensor("b\"\xc3\xa9"));
  EXPECT_TRUE(std::ranges::equal(read, std::as_bytes(std::span("abc", 3))));
  EXPECT_EQ(file.tensor("e").shape, (std::vector<int32_t>{0, 4}));
  EXPECT_EQ(file.metadata()[1].second, "line\nbreak");
}

TEST_F(SafetensorsWriter, AnyFailureLeavesTheOldFile) {
  base::write_file_atomically(path_, "old");
  SafetensorsItem broken = item("w", SafetensorsDtype::kU8, {1}, "");
  broken.bytes = []() -> std::span<const std::byte> { throw std::runtime_error("refused"); };
  EXPECT_THROW(write_safetensors(path_, {broken}), std::runtime_error);
  EXPECT_THROW(write_safetensors(path_, {item("w", SafetensorsDtype::kU8, {2}, "a")}), std::invalid_argument);
  EXPECT_EQ(base::read_file(path_, 10), "old");
  EXPECT_THROW(write_safetensors("/nonexistent/m.safetensors", {}), WriteError);
}

TEST_F(SafetensorsWriter, RefusesBadNames) {
  const auto u8 = [](const std::string& name) { return item(name, SafetensorsDtype::kU8, {1}, "a"); };
  EXPECT_THAT([&] { write_safetensors(path_, {u8("w"), u8("w")}); },
              testing::ThrowsMessage<std::invalid_argument>("[save_safetensors] tensor 'w' is given twice"));
  EXPECT_THROW(write_safetensors(path_, {u8("")}), std::invalid_argument);
  EXPECT_THROW(write_safetensors(path_, {u8("__metadata__")}), std::invalid_argument);
  EXPECT_THROW(write_safetensors(path_, {u8("\xff")}), std::invalid_argument);
  EXPECT_THROW(write_safetensors(path_, {}, {{"a", "1"}, {"a", "2"}}), std::invalid_argument);
  EXPECT_THROW(write_safetensors(path_, {item("w", SafetensorsDtype::kU8, {-1}, "")}), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace plimsoll::io
