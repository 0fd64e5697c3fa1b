// Reads a GGUF file in its own order: header, metadata, table of tensors; then judges what needs the whole picture:
// names given twice, and ranges of tensors against the file and each other.
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "plimsoll/errors.h"

#include "base/checked.h"
#include "base/quote.h"
#include "io/byte_reader.h"
#include "io/gguf.h"

namespace plimsoll::io {
namespace {

constexpr uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr uint64_t kMinEntryBytes = 8 + 1 + 4 + 1;
constexpr uint64_t kMinTensorBytes = 8 + 1 + 4 + 4 + 8;
constexpr std::string_view kAlignmentKey = "general.alignment";

// Smallest size of an element in the file, to bound an array's count before its elements are walked.
uint64_t smallest_bytes(GgufType type) { return type == GgufType::kString ? sizeof(uint64_t) : fixed_bytes(type); }

// Indices that sort `count` entries by name; the first name that stands twice goes to `refuse`.
template <typename NameOf, typename Refuse>
std::vector<uint32_t> sort_unique(size_t count, NameOf name_of, Refuse refuse) {
  std::vector<uint32_t> by_name(count);
  std::iota(by_name.begin(), by_name.end(), 0u);
  std::sort(by_name.begin(), by_name.end(), [&](uint32_t a, uint32_t b) { return name_of(a) < name_of(b); });
  const auto twice = std::adjacent_find(by_name.begin(), by_name.end(),
                                        [&](uint32_t a, uint32_t b) { return name_of(a) == name_of(b); });
  if (twice != by_name.end()) refuse(name_of(*twice));
  return by_name;
}

}  // namespace

class GgufParser {
 public:
  GgufParser(std::span<const std::byte> bytes, const std::string& path) : reader_(bytes, path) {
    file_.path_ = path;
    file_.bytes_ = bytes;
  }

  GgufFile parse() {
    read_header();
    read_metadata();
    file_.alignment_ = checked_alignment();
    read_tensors();
    place_tensors();
    refuse_overlaps();
    return std::move(file_);
  }

 private:
  void read_header();
  uint64_t read_count(const Field& field, uint64_t limit, uint64_t smallest_entry);

  void read_metadata();
  GgufEntry read_entry();
  GgufValue read_value(const Field& field);
  GgufValue read_array(const Field& field);
  std::span<const std::byte> read_elements(const Field& field, GgufType type, uint64_t count);
  GgufType read_type(const Field& field);
  void refuse_odd_bools(const Field& field, std::span<const std::byte> bytes) const;
  uint32_t checked_alignment() const;

  void read_tensors();
  GgufTensor read_tensor();
  void read_dims(const Field& field, GgufTensor& tensor);
  uint64_t checked_bytes(const Field& field, const GgufTensor& tensor) const;
  void place_tensors();
  void refuse_overlaps() const;

  [[noreturn]] void fail_tensor(const GgufTensor& tensor, const std::string& what) const {
    reader_.fail({"tensor", tensor.name}, what);
  }

  ByteReader reader_;
  GgufFile file_;
  uint64_t key_count_ = 0;
  uint64_t tensor_count_ = 0;
};

void GgufParser::read_header() {
  if (reader_.read<uint32_t>({"header"}) != kMagic) {
    reader_.fail({"header"}, "magic is not 'GGUF': this is no GGUF file");
  }
  const Field field = {"header version"};
  file_.version_ = reader_.read<uint32_t>(field);
  if (file_.version_ != 0 && (file_.version_ & 0xffff) == 0) {
    reader_.fail(field, "the file is big-endian, which is not supported");
  }
  if (file_.version_ != 2 && file_.version_ != 3) {
    reader_.fail(field, fmt::format("{} is not supported; 2 and 3 are", file_.version_));
  }
  tensor_count_ = reader_.read<uint64_t>({"header tensor count"});
  key_count_ = read_count({"header metadata count"}, kMaxGgufKeys, kMinEntryBytes);
}

uint64_t GgufParser::read_count(const Field& field, uint64_t limit, uint64_t smallest_entry) {
  const auto count = reader_.read<uint64_t>(field);
  if (count > limit) reader_.fail(field, fmt::format("{} is more than the {} that are accepted", count, limit));
  if (count > reader_.remaining() / smallest_entry) {
    reader_.fail(field, fmt::format("{} entries do not fit in the {} bytes that follow", count, reader_.remaining()));
  }
  return count;
}

void GgufParser::read_metadata() {
  file_.metadata_.reserve(key_count_);
  for (uint64_t i = 0; i < key_count_; ++i) file_.metadata_.push_back(read_entry());
  file_.keys_by_name_ = sort_unique(
      key_count_, [&](uint32_t index) { return file_.metadata_[index].key; },
      [&](std::string_view key) { reader_.fail({"metadata key", key}, "is given twice"); });
}

GgufEntry GgufParser::read_entry() {
  const std::string_view key = reader_.read_string({"metadata key"});
  if (key.empty()) reader_.fail({"metadata key"}, fmt::format("key {} has length 0", file_.metadata_.size()));
  const Field field = {"metadata key", key};
  if (key.size() > kMaxGgufKeyBytes) {
    reader_.fail(field, fmt::format("{} bytes are more than the {} that a key may have", key.size(), kMaxGgufKeyBytes));
  }
  return {key, read_value(field)};
}

GgufType GgufParser::read_type(const Field& field) {
  const auto type = static_cast<GgufType>(reader_.read<uint32_t>(field));
  if (name(type) == "unknown")
    reader_.fail(field, fmt::format("value type {} is unknown", static_cast<uint32_t>(type)));
  return type;
}

GgufValue GgufParser::read_value(const Field& field) {
  const GgufType type = read_type(field);
  if (type == GgufType::kArray) return read_array(field);
  if (type == GgufType::kString) {
    const std::string_view text = reader_.read_string(field);
    return {type, type, 1, std::as_bytes(std::span(text))};
  }
  const auto bytes = reader_.take(fixed_bytes(type), field);
  if (type == GgufType::kBool) refuse_odd_bools(field, bytes);
  return {type, type, 1, bytes};
}

GgufValue GgufParser::read_array(const Field& field) {
  const GgufType element_type = read_type(field);
  if (element_type == GgufType::kArray) reader_.fail(field, "arrays of arrays are not supported");
  const auto count = reader_.read<uint64_t>(field);
  if (count > reader_.remaining() / smallest_bytes(element_type)) {
    reader_.fail(field, fmt::format("{} elements of {} do not fit in the {} bytes that follow", count,
                                    name(element_type), reader_.remaining()));
  }
  return {GgufType::kArray, element_type, count, read_elements(field, element_type, count)};
}

std::span<const std::byte> GgufParser::read_elements(const Field& field, GgufType type, uint64_t count) {
  if (type != GgufType::kString) {
    const auto bytes = reader_.take(count * fixed_bytes(type), field);
    if (type == GgufType::kBool) refuse_odd_bools(field, bytes);
    return bytes;
  }
  const uint64_t start = reader_.position();
  for (uint64_t i = 0; i < count; ++i) reader_.read_string(field);
  return file_.bytes_.subspan(start, reader_.position() - start);
}

void GgufParser::refuse_odd_bools(const Field& field, std::span<const std::byte> bytes) const {
  const auto odd = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
  if (odd != bytes.end()) {
    reader_.fail(field, fmt::format("expected a bool of 0 or 1, found {}", std::to_integer<int>(*odd)));
  }
}

uint32_t GgufParser::checked_alignment() const {
  const GgufValue* value = file_.find(kAlignmentKey);
  if (value == nullptr) return kDefaultGgufAlignment;
  const Field field = {"metadata key", kAlignmentKey};
  if (value->type != GgufType::kUint32) reader_.fail(field, fmt::format("expected u32, found {}", value->type_text()));
  const uint64_t alignment = *value->as_uint();
  if (alignment < 8 || !base::is_power_of_two(alignment)) {
    reader_.fail(field, fmt::format("{} is not a power of two of at least 8", alignment));
  }
  return static_cast<uint32_t>(alignment);
}

void GgufParser::read_tensors() {
  const Field field = {"header tensor count"};
  if (tensor_count_ > kMaxGgufTensors) {
    reader_.fail(field, fmt::format("{} is more than the {} that are accepted", tensor_count_, kMaxGgufTensors));
  }
  if (tensor_count_ > reader_.remaining() / kMinTensorBytes) {
    reader_.fail(field, fmt::format("{} tensors do not fit in the {} bytes that follow the metadata", tensor_count_,
                                    reader_.remaining()));
  }
  file_.tensors_.reserve(tensor_count_);
  for (uint64_t i = 0; i < tensor_count_; ++i) file_.tensors_.push_back(read_tensor());
  file_.tensors_by_name_ = sort_unique(
      tensor_count_, [&](uint32_t index) { return file_.tensors_[index].name; },
      [&](std::string_view tensor) { reader_.fail({"tensor", tensor}, "is given twice"); });
}

GgufTensor GgufParser::read_tensor() {
  GgufTensor tensor{};
  tensor.name = reader_.read_string({"tensor name"});
  if (tensor.name.empty()) reader_.fail({"tensor name"}, fmt::format("tensor {} has no name", file_.tensors_.size()));
  const Field field = {"tensor", tensor.name};
  if (tensor.name.size() > kMaxGgufTensorNameBytes) {
    reader_.fail(field, fmt::format("name of {} bytes is longer than the {} that the format allows", tensor.name.size(),
                                    kMaxGgufTensorNameBytes));
  }
  read_dims(field, tensor);
  const auto number = reader_.read<uint32_t>(field);
  const auto type = ggml_type_from_number(number);
  if (!type) reader_.fail(field, fmt::format("type number {} is unknown", number));
  tensor.type = *type;
  tensor.offset = reader_.read<uint64_t>(field);
  tensor.bytes = checked_bytes(field, tensor);
  return tensor;
}

void GgufParser::read_dims(const Field& field, GgufTensor& tensor) {
  tensor.n_dims = reader_.read<uint32_t>(field);
  if (tensor.n_dims > kMaxGgufDims) {
    reader_.fail(field, fmt::format("n_dims is {}, more than {}", tensor.n_dims, kMaxGgufDims));
  }
  tensor.dims.fill(1);
  for (uint32_t i = 0; i < tensor.n_dims; ++i) {
    tensor.dims[i] = reader_.read<uint64_t>(field);
    if (!std::in_range<int32_t>(tensor.dims[i])) {
      reader_.fail(field, fmt::format("dimension {} is {}, more than a 32-bit shape can hold", i, tensor.dims[i]));
    }
  }
}

uint64_t GgufParser::checked_bytes(const Field& field, const GgufTensor& tensor) const {
  const GgmlTypeInfo& type = info(tensor.type);
  if (tensor.dims[0] % type.block_elements != 0) {
    reader_.fail(field, fmt::format("rows of {} elements cannot be cut into {} blocks of {}", tensor.dims[0], type.name,
                                    type.block_elements));
  }
  const auto elements = base::checked_product(tensor.dims);
  const auto bytes = elements ? base::checked_mul(*elements / type.block_elements, type.block_bytes) : std::nullopt;
  if (!bytes) reader_.fail(field, "size does not fit in 64 bits");
  return *bytes;
}

// Turns offsets within the data section into offsets within the file.
void GgufParser::place_tensors() {
  const uint64_t size = file_.bytes_.size();
  const auto data_start = base::checked_align_up(reader_.position(), file_.alignment_);
  for (GgufTensor& tensor : file_.tensors_) {
    if (tensor.offset % file_.alignment_ != 0) {
      fail_tensor(tensor,
                  fmt::format("offset {} is not a multiple of the alignment {}", tensor.offset, file_.alignment_));
    }
    const auto absolute = base::checked_add(*data_start, tensor.offset);
    if (!absolute || !base::range_fits(*absolute, tensor.bytes, size)) {
      if (tensor.bytes != 0) {
        fail_tensor(tensor, fmt::format("{} bytes at offset {} of the data do not fit in the file of {} bytes",
                                        tensor.bytes, tensor.offset, size));
      }
      tensor.offset = size;
      continue;
    }
    tensor.offset = *absolute;
  }
}

void GgufParser::refuse_overlaps() const {
  std::vector<const GgufTensor*> by_offset;
  for (const GgufTensor& tensor : file_.tensors_) {
    if (tensor.bytes != 0) by_offset.push_back(&tensor);
  }
  std::sort(by_offset.begin(), by_offset.end(), [](const auto* a, const auto* b) { return a->offset < b->offset; });
  for (size_t i = 1; i < by_offset.size(); ++i) {
    const GgufTensor& before = *by_offset[i - 1];
    if (by_offset[i]->offset - before.offset < before.bytes) {
      fail_tensor(*by_offset[i], fmt::format("overlaps tensor {}", base::quote(before.name)));
    }
  }
}

GgufFile parse_gguf(std::span<const std::byte> bytes, const std::string& path) {
  return GgufParser(bytes, path).parse();
}

}  // namespace plimsoll::io
