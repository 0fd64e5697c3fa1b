// The models that the tests of the command run on.
#pragma once

#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/process.h"

namespace plimsoll::cli_tests {

using nlohmann::json;

// A folder of this test process, removed at its end.
const std::string& scratch_folder();

// The tiny model of `make-tiny`, written once per process.
const std::string& tiny_model();

// SmolLM2's file: PLIMSOLL_TEST_MODEL, or where `pull` keeps it.
const std::optional<std::string>& smollm2();

#define PLIMSOLL_SKIP_WITHOUT_SMOLLM2()  \
  if (!::plimsoll::cli_tests::smollm2()) \
  GTEST_SKIP()                           \
      << "SmolLM2 is not there: run `plimsoll pull smollm2-135m-instruct`, or set PLIMSOLL_TEST_MODEL to its file"

// Writes a file into the scratch folder and returns its path.
std::string write_file(const std::string& name, const std::string& content);

// Whether a text is whole UTF-8.
bool is_utf8(const std::string& text);

// What `arguments` with --json print; fails the test for another exit code than 0 and for anything but one JSON object.
json run_json(std::vector<std::string> arguments);

// The same for `generate` on a model.
json generate_json(const std::string& model, std::vector<std::string> arguments);

}  // namespace plimsoll::cli_tests
