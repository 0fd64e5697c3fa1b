// Files that are cut, corrupted or lie: exit code 65 and a message that names file and field.
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "cli/models.h"

namespace plimsoll::cli_tests {
namespace {

using testing::HasSubstr;

struct HostileFile {
  std::string path;
  std::string field;  // that the message names
};

// Those of tests/data/hostile/expected.tsv whose path begins with `kind`. Of an empty file there is nothing to name.
std::vector<HostileFile> hostile_files(const std::string& kind) {
  const std::string folder = PLIMSOLL_TESTS_DIR "/data/hostile/";
  std::vector<HostileFile> files;
  std::ifstream list(folder + "expected.tsv");
  for (std::string line; std::getline(list, line);) {
    if (!line.starts_with(kind)) continue;
    const size_t tab = line.find('\t');
    const bool is_empty = line.find("/empty.") < tab;
    files.push_back({folder + line.substr(0, tab), is_empty ? "is empty" : line.substr(tab + 1)});
  }
  return files;
}

void expect_refusal(const std::vector<std::string>& arguments, const HostileFile& file) {
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.exit_code, 65) << file.path << ": " << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("[" + file.path + "] "));
  EXPECT_THAT(outcome.err, HasSubstr(file.field));
  EXPECT_LT(outcome.peak_resident_bytes, uint64_t{128} << 20) << file.path;
}

TEST(HostileFiles, GgufIsRefusedByGenerate) {
  const auto files = hostile_files("gguf/");
  EXPECT_GE(files.size(), 50u);
  for (const HostileFile& file : files) {
    expect_refusal({"generate", "--model", file.path, "--prompt", "x"}, file);
  }
}

TEST(HostileFiles, SafetensorsIsRefusedByInspect) {
  const auto files = hostile_files("safetensors/");
  EXPECT_GE(files.size(), 40u);
  for (const HostileFile& file : files) expect_refusal({"inspect", file.path}, file);
}

TEST(HostileFiles, TinyModelCutAnywhereIsRefused) {
  std::ostringstream whole;
  whole << std::ifstream(tiny_model(), std::ios::binary).rdbuf();
  const std::string bytes = whole.str();
  for (const size_t size : {size_t{0}, size_t{3}, size_t{20}, size_t{700}, bytes.size() / 2, bytes.size() - 1}) {
    const std::string path = write_file("cut.gguf", bytes.substr(0, size));
    expect_refusal({"generate", "--model", path, "--prompt", "x"}, {path, ""});
  }
}

TEST(HostileFiles, BadLineOfDataIsNamedByItsNumber) {
  const std::string path = write_file("bad.jsonl", "{\"text\": \"good enough\"}\n\n{\"txt\": 1}\n");
  const Outcome outcome = run({"eval", "--model", tiny_model(), "--data", path});
  EXPECT_EQ(outcome.exit_code, 65);
  EXPECT_THAT(outcome.err, HasSubstr("[" + path + ":3] "));
  EXPECT_THAT(outcome.err, HasSubstr("text"));
}

}  // namespace
}  // namespace plimsoll::cli_tests
