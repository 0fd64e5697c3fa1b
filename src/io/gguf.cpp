#include "io/gguf.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "plimsoll/errors.h"

#include "base/quote.h"

namespace plimsoll::io {
namespace {

// Entry named `wanted` of a list, through indices sorted by name; nullptr if there is none.
template <typename Entry, typename NameOf>
const Entry* find_by_name(const std::vector<Entry>& entries, const std::vector<uint32_t>& by_name,
                          std::string_view wanted, NameOf name_of) {
  const auto at = std::lower_bound(by_name.begin(), by_name.end(), wanted, [&](uint32_t index, std::string_view name) {
    return name_of(entries[index]) < name;
  });
  if (at == by_name.end() || name_of(entries[*at]) != wanted) return nullptr;
  return &entries[*at];
}

}  // namespace

std::vector<int32_t> GgufTensor::shape() const {
  std::vector<int32_t> shape;
  for (uint32_t i = n_dims; i > 0; --i) shape.push_back(static_cast<int32_t>(dims[i - 1]));
  return shape;
}

const GgufValue* GgufFile::find(std::string_view key) const {
  const GgufEntry* entry = find_by_name(metadata_, keys_by_name_, key, [](const GgufEntry& e) { return e.key; });
  return entry != nullptr ? &entry->value : nullptr;
}

const GgufTensor* GgufFile::find_tensor(std::string_view name) const {
  return find_by_name(tensors_, tensors_by_name_, name, [](const GgufTensor& t) { return t.name; });
}

const GgufValue& GgufFile::value(std::string_view key) const {
  const GgufValue* found = find(key);
  if (found == nullptr) throw FileError(path_, fmt::format("metadata key {} is missing", base::quote(key)));
  return *found;
}

const GgufTensor& GgufFile::tensor(std::string_view name) const {
  const GgufTensor* found = find_tensor(name);
  if (found == nullptr) throw FileError(path_, fmt::format("tensor {} is missing", base::quote(name)));
  return *found;
}

void GgufFile::wrong_type(std::string_view key, const std::string& expected) const {
  const GgufValue& found = value(key);
  const std::string shown = found.is_integer() ? fmt::format(" {}", found.text()) : "";
  throw FileError(path_, fmt::format("metadata key {}: expected {}, found {}{}", base::quote(key), expected,
                                     found.type_text(), shown));
}

bool GgufFile::get_bool(std::string_view key) const {
  const auto found = value(key).as_bool();
  if (!found) wrong_type(key, "bool");
  return *found;
}

uint64_t GgufFile::get_u64(std::string_view key) const {
  const auto found = value(key).as_uint();
  if (!found) wrong_type(key, "an integer that is not negative");
  return *found;
}

uint32_t GgufFile::get_u32(std::string_view key) const {
  const auto found = value(key).as_uint();
  if (!found || *found > std::numeric_limits<uint32_t>::max()) wrong_type(key, "an integer that fits u32");
  return static_cast<uint32_t>(*found);
}

int32_t GgufFile::get_i32(std::string_view key) const {
  const auto found = value(key).as_int();
  if (!found || !std::in_range<int32_t>(*found)) wrong_type(key, "an integer that fits i32");
  return static_cast<int32_t>(*found);
}

float GgufFile::get_f32(std::string_view key) const {
  const auto found = value(key).as_float();
  if (!found) wrong_type(key, "f32");
  return static_cast<float>(*found);
}

std::string_view GgufFile::get_string(std::string_view key) const {
  const auto found = value(key).as_string();
  if (!found) wrong_type(key, "string");
  return *found;
}

GgufStrings GgufFile::get_strings(std::string_view key) const {
  const auto found = value(key).as_strings();
  if (!found) wrong_type(key, "array of string");
  return *found;
}

void GgufFile::require_computed(const GgufTensor& tensor) const {
  if (info(tensor.type).computed) return;
  throw FileError(path_, fmt::format("tensor {} has type {}, which Plimsoll does not support; it computes with {}",
                                     base::quote(tensor.name), info(tensor.type).name, computed_ggml_types()));
}

void GgufFile::require_all_computed() const {
  for (const GgufTensor& tensor : tensors_) require_computed(tensor);
}

}  // namespace plimsoll::io
