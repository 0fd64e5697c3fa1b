// What the tests of this folder share: the golden data, and the models it speaks of.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "plimsoll/lm.h"

namespace plimsoll::golden {

using nlohmann::json;

inline std::filesystem::path folder() { return std::filesystem::path(PLIMSOLL_TESTS_DIR) / "golden"; }
inline std::string path(const std::string& relative) { return (folder() / relative).string(); }

inline json load_json(const std::string& relative) {
  std::ifstream file(path(relative));
  return json::parse(file);
}

inline std::string load_text(const std::string& relative) {
  std::ostringstream text;
  text << std::ifstream(path(relative)).rdbuf();
  return text.str();
}

// A row-major .npy file of little-endian elements of type T, version 1.
template <typename T>
std::vector<T> load_npy(const std::string& relative) {
  std::ifstream file(path(relative), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.size() < 10 || bytes.substr(1, 5) != "NUMPY") throw std::runtime_error(relative + " is no .npy file");
  uint16_t header = 0;
  std::memcpy(&header, bytes.data() + 8, sizeof(header));
  const std::string_view kind = std::is_floating_point_v<T> ? "'<f4'" : "'<i4'";
  if (bytes.find(kind, 10) > 10u + header) throw std::runtime_error(relative + " holds other elements");
  const size_t begin = 10u + header;
  std::vector<T> values((bytes.size() - begin) / sizeof(T));
  std::memcpy(values.data(), bytes.data() + begin, values.size() * sizeof(T));
  return values;
}

// SmolLM2-135M-Instruct: PLIMSOLL_TEST_MODEL, or where `plimsoll pull` keeps it.
inline std::optional<std::string> smollm2() {
  if (const char* given = std::getenv("PLIMSOLL_TEST_MODEL"); given != nullptr && *given != '\0') return given;
  return lm::find_pulled("smollm2-135m-instruct");
}

#define PLIMSOLL_SKIP_WITHOUT_SMOLLM2() \
  if (!::plimsoll::golden::smollm2())   \
  GTEST_SKIP()                          \
      << "SmolLM2 is not there: run `plimsoll pull smollm2-135m-instruct`, or set PLIMSOLL_TEST_MODEL to its file"

inline lm::Model load_float32(const std::string& path_or_name) {
  return lm::Model::load(path_or_name, {.dtype = float32});
}

inline lm::GenerateOptions greedy(int max_tokens) {
  lm::GenerateOptions options;
  options.max_tokens = max_tokens;
  options.stop_at_end = false;
  return options;
}

// Checks `actual` [count] against `expected` element by element, and names the worst.
inline void expect_near(const float* actual, const std::vector<float>& expected, double tolerance) {
  size_t worst = 0;
  size_t failed = 0;
  double largest = -1.0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(static_cast<double>(actual[i]) - expected[i]);
    if (!(difference <= tolerance)) ++failed;
    if (!(difference <= largest)) {
      largest = difference;
      worst = i;
    }
  }
  EXPECT_EQ(failed, 0u) << failed << " of " << expected.size() << " differ by more than " << tolerance
                        << "; the worst is element " << worst << ": " << actual[worst] << " instead of "
                        << expected[worst];
}

}  // namespace plimsoll::golden
