// Every file of tests/data/hostile must be refused with FileError that names the file and the field at fault, without
// taking memory that only a lie in the file asks for.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plimsoll/errors.h"

#include "base/file.h"
#include "base/json.h"
#include "io/gguf.h"
#include "io/safetensors.h"

namespace plimsoll::io {
namespace {

const std::string kFolder = PLIMSOLL_TESTS_DIR "/data/hostile/";
constexpr size_t kAllowedGrowth = size_t{64} << 20;

struct Case {
  std::string file;
  std::string expected;  // part of the message
};

std::vector<Case> all_cases() {
  std::ifstream list(kFolder + "expected.tsv");
  std::vector<Case> cases;
  for (std::string line; std::getline(list, line);) {
    const size_t tab = line.find('\t');
    cases.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return cases;
}

size_t resident_bytes() {
  std::ifstream status("/proc/self/statm");
  size_t total = 0, resident = 0;
  status >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

void parse(const std::string& file, const std::string& content) {
  const auto bytes = std::as_bytes(std::span(content));
  if (file.ends_with(".gguf")) {
    parse_gguf(bytes, file);
  } else if (file.ends_with(".safetensors")) {
    parse_safetensors(bytes, file);
  } else {
    base::parse_json(content, file);
  }
}

TEST(HostileFiles, EachIsRefusedNamingFileAndField) {
  const auto cases = all_cases();
  ASSERT_GT(cases.size(), 100u);
  for (const Case& hostile : cases) {
    const std::string content = base::read_file(kFolder + hostile.file, 1 << 20);
    const size_t before = resident_bytes();
    try {
      parse(hostile.file, content);
      ADD_FAILURE() << hostile.file << " was accepted";
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("[" + hostile.file + "] "));
      EXPECT_THAT(error.what(), testing::HasSubstr(hostile.expected)) << hostile.file;
      EXPECT_LT(std::string(error.what()).size(), 600u) << hostile.file;
    }
    EXPECT_LT(resident_bytes(), before + kAllowedGrowth) << hostile.file;
  }
}

TEST(HostileFiles, OddButGoodFilesOpen) {
  for (const auto& entry : std::filesystem::directory_iterator(kFolder + "valid")) {
    const std::string file = entry.path().filename().string();
    EXPECT_NO_THROW(parse(file, base::read_file(entry.path().string(), 1 << 20))) << file;
  }
}

// A table of scores declared with the right count but the wrong width would be read beyond its end.
TEST(HostileFiles, ArrayOfTheWrongWidthIsRefusedWhereItIsAskedFor) {
  const std::string content = base::read_file(kFolder + "valid/scores_as_u8.gguf", 1 << 20);
  const auto file = parse_gguf(std::as_bytes(std::span(content)), "m.gguf");
  EXPECT_THAT([&] { file.get_array<float>("tokenizer.ggml.scores"); },
              testing::ThrowsMessage<FileError>(
                  "[m.gguf] metadata key 'tokenizer.ggml.scores': expected array of f32, found array of u8"));
}

}  // namespace
}  // namespace plimsoll::io
