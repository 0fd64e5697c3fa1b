#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "plimsoll/io.h"

#include "base/quote.h"
#include "io/gguf.h"
#include "io/mapping.h"

namespace plimsoll {

namespace {

std::optional<Dtype> plain_dtype(io::GgmlType type) {
  switch (type) {
    case io::GgmlType::kF32:
      return float32;
    case io::GgmlType::kF16:
      return float16;
    case io::GgmlType::kBF16:
      return bfloat16;
    case io::GgmlType::kF64:
      return float64;
    case io::GgmlType::kI8:
      return int8;
    case io::GgmlType::kI16:
      return int16;
    case io::GgmlType::kI32:
      return int32;
    case io::GgmlType::kI64:
      return int64;
    default:
      return std::nullopt;
  }
}

GgufTensor make_tensor(io::Mapping& mapping, const io::GgufTensor& stored) {
  const io::GgmlTypeInfo& type = io::info(stored.type);
  const std::vector<int32_t> dims = stored.shape();
  GgufTensor tensor{std::string(type.name), Shape(dims.begin(), dims.end()), stored.bytes, std::nullopt, std::nullopt};
  if (const auto dtype = plain_dtype(stored.type)) {
    tensor.data = mapping.tensor(stored.offset, tensor.shape, *dtype);
  } else if (const auto format = block_format_from_name(type.name); format && !dims.empty()) {
    Shape packed = tensor.shape;
    packed.back() = static_cast<ShapeElem>(int64_t{packed.back()} / type.block_elements * type.block_bytes);
    tensor.format = format;
    tensor.data = mapping.tensor(stored.offset, packed, uint8);
  }
  return tensor;
}

}  // namespace

struct GgufFile::Impl {
  explicit Impl(const std::string& path)
      : mapping(io::Mapping::open(path)), file(io::parse_gguf(mapping->bytes(), path)) {
    for (const io::GgufTensor& stored : file.tensors()) {
      tensors.emplace(std::string(stored.name), make_tensor(*mapping, stored));
    }
  }

  [[noreturn]] void wrong_kind(std::string_view key, const char* expected) const {
    throw FileError(file.path(), fmt::format("metadata key {}: expected {}, found {}", base::quote(key), expected,
                                             file.value(key).type_text()));
  }

  // The elements of a list of any of the types Ts, as To; nothing for a list of another type.
  template <typename To, typename... Ts>
  std::optional<std::vector<To>> list(std::string_view key) const {
    std::optional<std::vector<To>> result;
    const auto take = [&]<typename T>(T) {
      const auto stored = file.value(key).as_array<T>();
      if (!stored) return;
      result.emplace(stored->size());
      for (size_t i = 0; i < stored->size(); ++i) (*result)[i] = static_cast<To>((*stored)[i]);
    };
    (take(Ts{}), ...);
    return result;
  }

  std::shared_ptr<io::Mapping> mapping;
  io::GgufFile file;
  std::map<std::string, GgufTensor, std::less<>> tensors;
};

GgufFile::GgufFile(const std::string& path) : impl_(std::make_unique<const Impl>(path)) {}
GgufFile::~GgufFile() = default;
GgufFile::GgufFile(GgufFile&&) noexcept = default;
GgufFile& GgufFile::operator=(GgufFile&&) noexcept = default;

const std::string& GgufFile::path() const { return impl_->file.path(); }
uint64_t GgufFile::nbytes() const { return impl_->file.bytes().size(); }
uint32_t GgufFile::version() const { return impl_->file.version(); }
const std::map<std::string, GgufTensor, std::less<>>& GgufFile::tensors() const { return impl_->tensors; }

std::optional<int64_t> GgufFile::find_int(std::string_view key) const {
  const io::GgufValue* value = impl_->file.find(key);
  if (value == nullptr) return std::nullopt;
  const auto found = value->as_int();
  if (!found) impl_->wrong_kind(key, "an integer of 64 bits");
  return found;
}

std::optional<double> GgufFile::find_float(std::string_view key) const {
  const io::GgufValue* value = impl_->file.find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto found = value->as_float()) return found;
  const auto whole = value->as_int();
  if (!whole) impl_->wrong_kind(key, "a number");
  return static_cast<double>(*whole);
}

std::optional<bool> GgufFile::find_bool(std::string_view key) const {
  const io::GgufValue* value = impl_->file.find(key);
  if (value == nullptr) return std::nullopt;
  const auto flag = value->as_bool();
  if (!flag) impl_->wrong_kind(key, "bool");
  return flag;
}

std::optional<std::string_view> GgufFile::find_string(std::string_view key) const {
  const io::GgufValue* value = impl_->file.find(key);
  if (value == nullptr) return std::nullopt;
  const auto text = value->as_string();
  if (!text) impl_->wrong_kind(key, "string");
  return text;
}

std::optional<std::vector<int64_t>> GgufFile::find_ints(std::string_view key) const {
  if (impl_->file.find(key) == nullptr) return std::nullopt;
  auto ints = impl_->list<int64_t, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t>(key);
  if (!ints) impl_->wrong_kind(key, "array of integers");
  return ints;
}

std::optional<std::vector<float>> GgufFile::find_floats(std::string_view key) const {
  if (impl_->file.find(key) == nullptr) return std::nullopt;
  auto floats = impl_->list<float, float, double>(key);
  if (!floats) impl_->wrong_kind(key, "array of floats");
  return floats;
}

std::optional<std::vector<std::string_view>> GgufFile::find_strings(std::string_view key) const {
  const io::GgufValue* value = impl_->file.find(key);
  if (value == nullptr) return std::nullopt;
  const auto strings = value->as_strings();
  if (!strings) impl_->wrong_kind(key, "array of strings");
  return std::vector<std::string_view>(strings->begin(), strings->end());
}

std::vector<GgufFile::Entry> GgufFile::metadata() const {
  std::vector<Entry> entries;
  for (const io::GgufEntry& entry : impl_->file.metadata()) {
    entries.push_back({std::string(entry.key), entry.value.type_text(), entry.value.text()});
  }
  return entries;
}

}  // namespace plimsoll
