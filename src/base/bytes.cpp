#include "base/bytes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/checked.h"

namespace plimsoll::base {
namespace {

constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// Power of 1024 of a unit; an empty unit is bytes.
std::optional<int> unit_power(std::string_view unit) {
  if (unit.empty()) return 0;
  for (size_t i = 0; i < kUnits.size(); ++i) {
    if (same_ignoring_case(unit, kUnits[i])) return static_cast<int>(i);
  }
  return std::nullopt;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<uint64_t> parse_digits(std::string_view digits) {
  uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<uint64_t> parse_bytes(std::string_view text) {
  const auto number_end = std::find_if_not(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; });
  const auto number = text.substr(0, static_cast<size_t>(number_end - text.begin()));
  const auto power = unit_power(text.substr(number.size()));
  if (!power) return std::nullopt;

  const size_t point = number.find('.');
  const auto whole = parse_digits(number.substr(0, point));
  if (!whole) return std::nullopt;
  const uint64_t unit = uint64_t{1} << (10 * *power);
  const auto bytes = checked_mul(*whole, unit);
  if (!bytes || point == std::string_view::npos) return bytes;

  const std::string_view digits = number.substr(point + 1);
  const auto fraction = parse_digits(digits);
  if (!fraction || *power == 0 || digits.size() > 15) return std::nullopt;
  const double part = static_cast<double>(*fraction) / std::pow(10.0, static_cast<double>(digits.size()));
  return checked_add(*bytes, static_cast<uint64_t>(std::llround(part * static_cast<double>(unit))));
}

std::string format_bytes(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{}B", bytes);
  size_t unit = 1;
  double tenths = std::round(static_cast<double>(bytes) * 10.0 / 1024.0);
  while (tenths >= 10240.0 && unit + 1 < kUnits.size()) {
    ++unit;
    tenths = std::round(static_cast<double>(bytes) * 10.0 / std::pow(1024.0, static_cast<double>(unit)));
  }
  const auto count = static_cast<uint64_t>(tenths);
  if (count % 10 == 0) return fmt::format("{}{}", count / 10, kUnits[unit]);
  return fmt::format("{}.{}{}", count / 10, count % 10, kUnits[unit]);
}

}  // namespace plimsoll::base
