#include "cli/models.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace plimsoll::cli_tests {

namespace {

namespace fs = std::filesystem;

class ScratchFolder {
 public:
  ScratchFolder() : path_(fs::temp_directory_path() / ("plimsoll_cli_test_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_.native(); }

 private:
  fs::path path_;
};

std::string make_tiny() {
  std::string path = scratch_folder() + "/tiny.gguf";
  const Outcome outcome = run({"make-tiny", path});
  if (outcome.exit_code != 0) throw std::runtime_error("make-tiny failed: " + outcome.err);
  return path;
}

std::optional<std::string> find_smollm2() {
  if (const char* given = std::getenv("PLIMSOLL_TEST_MODEL"); given != nullptr && *given != '\0') return given;
  const Outcome outcome = run({"inspect", "smollm2-135m-instruct", "--json"});
  if (outcome.exit_code != 0) return std::nullopt;
  return json::parse(outcome.out)["path"].get<std::string>();
}

}  // namespace

const std::string& scratch_folder() {
  static const ScratchFolder folder;
  return folder.path();
}

const std::string& tiny_model() {
  static const std::string path = make_tiny();
  return path;
}

const std::optional<std::string>& smollm2() {
  static const std::optional<std::string> path = find_smollm2();
  return path;
}

std::string write_file(const std::string& name, const std::string& content) {
  std::string path = scratch_folder() + "/" + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(json(text).dump());
    return true;
  } catch (const json::type_error&) {
    return false;
  }
}

json run_json(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Outcome outcome = run(std::move(arguments));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 1) << outcome.out;
  json object = json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(object.is_object()) << outcome.out;
  return object;
}

json generate_json(const std::string& model, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"generate", "--model", model});
  return run_json(std::move(arguments));
}

}  // namespace plimsoll::cli_tests
