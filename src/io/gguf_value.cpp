#include "io/gguf_value.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/quote.h"

namespace plimsoll::io {
namespace {

template <typename T>
T load(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// Calls visit(value) with an integer of the given type; false if the type is no integer.
template <typename Visit>
bool visit_integer(GgufType type, std::span<const std::byte> bytes, Visit visit) {
  switch (type) {
    case GgufType::kUint8:
      visit(load<uint8_t>(bytes));
      return true;
    case GgufType::kInt8:
      visit(load<int8_t>(bytes));
      return true;
    case GgufType::kUint16:
      visit(load<uint16_t>(bytes));
      return true;
    case GgufType::kInt16:
      visit(load<int16_t>(bytes));
      return true;
    case GgufType::kUint32:
      visit(load<uint32_t>(bytes));
      return true;
    case GgufType::kInt32:
      visit(load<int32_t>(bytes));
      return true;
    case GgufType::kUint64:
      visit(load<uint64_t>(bytes));
      return true;
    case GgufType::kInt64:
      visit(load<int64_t>(bytes));
      return true;
    default:
      return false;
  }
}

template <typename To>
std::optional<To> integer_as(GgufType type, std::span<const std::byte> bytes) {
  std::optional<To> result;
  visit_integer(type, bytes, [&](auto value) {
    if (std::in_range<To>(value)) result = static_cast<To>(value);
  });
  return result;
}

std::string number_text(GgufType type, std::span<const std::byte> bytes) {
  std::string text;
  if (visit_integer(type, bytes, [&](auto value) { text = std::to_string(value); })) return text;
  if (type == GgufType::kBool) return load<uint8_t>(bytes) != 0 ? "true" : "false";
  return type == GgufType::kFloat32 ? fmt::format("{}", load<float>(bytes)) : fmt::format("{}", load<double>(bytes));
}

}  // namespace

std::string_view name(GgufType type) {
  switch (type) {
    case GgufType::kUint8:
      return "u8";
    case GgufType::kInt8:
      return "i8";
    case GgufType::kUint16:
      return "u16";
    case GgufType::kInt16:
      return "i16";
    case GgufType::kUint32:
      return "u32";
    case GgufType::kInt32:
      return "i32";
    case GgufType::kFloat32:
      return "f32";
    case GgufType::kBool:
      return "bool";
    case GgufType::kString:
      return "string";
    case GgufType::kArray:
      return "array";
    case GgufType::kUint64:
      return "u64";
    case GgufType::kInt64:
      return "i64";
    case GgufType::kFloat64:
      return "f64";
  }
  return "unknown";
}

size_t fixed_bytes(GgufType type) {
  switch (type) {
    case GgufType::kUint8:
    case GgufType::kInt8:
    case GgufType::kBool:
      return 1;
    case GgufType::kUint16:
    case GgufType::kInt16:
      return 2;
    case GgufType::kUint32:
    case GgufType::kInt32:
    case GgufType::kFloat32:
      return 4;
    case GgufType::kUint64:
    case GgufType::kInt64:
    case GgufType::kFloat64:
      return 8;
    case GgufType::kString:
    case GgufType::kArray:
      return 0;
  }
  return 0;
}

bool GgufValue::is_integer() const {
  return visit_integer(type, bytes, [](auto) {});
}

std::optional<int64_t> GgufValue::as_int() const { return integer_as<int64_t>(type, bytes); }

std::optional<uint64_t> GgufValue::as_uint() const { return integer_as<uint64_t>(type, bytes); }

std::optional<double> GgufValue::as_float() const {
  if (type == GgufType::kFloat32) return load<float>(bytes);
  if (type == GgufType::kFloat64) return load<double>(bytes);
  return std::nullopt;
}

std::optional<bool> GgufValue::as_bool() const {
  if (type != GgufType::kBool) return std::nullopt;
  return load<uint8_t>(bytes) != 0;
}

std::optional<std::string_view> GgufValue::as_string() const {
  if (type != GgufType::kString) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::optional<GgufStrings> GgufValue::as_strings() const {
  if (type != GgufType::kArray || element_type != GgufType::kString) return std::nullopt;
  return GgufStrings(bytes, count);
}

std::string GgufValue::type_text() const {
  if (type != GgufType::kArray) return std::string(name(type));
  return fmt::format("array of {}", name(element_type));
}

std::string GgufValue::text(size_t max_elements) const {
  if (const auto string = as_string()) return base::quote(*string);
  if (type != GgufType::kArray) return number_text(type, bytes);

  std::string out;
  const uint64_t shown = std::min<uint64_t>(count, max_elements);
  if (const auto strings = as_strings()) {
    auto at = strings->begin();
    for (uint64_t i = 0; i < shown; ++i, ++at) out += (i > 0 ? ", " : "") + base::quote(*at);
  } else {
    const size_t width = fixed_bytes(element_type);
    for (uint64_t i = 0; i < shown; ++i) {
      out += (i > 0 ? ", " : "") + number_text(element_type, bytes.subspan(i * width, width));
    }
  }
  return fmt::format("[{}{}] ({} of {})", out, shown < count ? ", ..." : "", count, name(element_type));
}

}  // namespace plimsoll::io
