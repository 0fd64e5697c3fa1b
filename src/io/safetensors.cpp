#include "io/safetensors.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "plimsoll/errors.h"

#include "base/checked.h"
#include "base/json.h"
#include "base/quote.h"
#include "io/byte_reader.h"

namespace plimsoll::io {

using base::JsonMember;
using base::JsonValue;

namespace {

constexpr std::string_view kMetadataKey = "__metadata__";

// Real headers hold some ten values a tensor; this is enough for 400,000 tensors.
constexpr base::JsonLimits kHeaderLimits = {
    .max_bytes = kMaxSafetensorsHeaderBytes, .max_depth = 8, .max_values = size_t{4} << 20};

}  // namespace

class SafetensorsParser {
 public:
  SafetensorsParser(std::span<const std::byte> bytes, const std::string& path) : reader_(bytes, path), path_(path) {
    file_.path_ = path;
    file_.bytes_ = bytes;
  }

  SafetensorsFile parse() {
    const auto header = base::parse_json(read_header(), path_, kHeaderLimits);
    const JsonValue entries = header.root().to_object("header");
    for (size_t i = 0; i < entries.size(); ++i) {
      const JsonMember entry = entries.member(i);
      if (entry.key == kMetadataKey) {
        read_metadata(entry.value);
      } else {
        file_.tensors_.push_back(read_tensor(entry));
      }
    }
    check_layout();
    index_names();
    return std::move(file_);
  }

 private:
  std::string_view read_header() {
    const auto length = reader_.read<uint64_t>({"header length"});
    if (length > kMaxSafetensorsHeaderBytes) {
      reader_.fail({"header length"}, fmt::format("{} bytes are more than the {} that a header may have", length,
                                                  kMaxSafetensorsHeaderBytes));
    }
    const auto text = reader_.take(length, {"header"});
    data_start_ = reader_.position();
    data_bytes_ = reader_.remaining();
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }

  void read_metadata(JsonValue entries) {
    if (entries.is_null()) return;  // what MLX writes where there is none
    entries.to_object(kMetadataKey);
    for (size_t i = 0; i < entries.size(); ++i) {
      const JsonMember entry = entries.member(i);
      file_.metadata_.emplace_back(entry.key, entry.value.to_string(entry.key));
    }
  }

  SafetensorsTensor read_tensor(const JsonMember& entry) {
    SafetensorsTensor tensor;
    tensor.name = entry.key;
    if (tensor.name.empty()) reader_.fail({"tensor name"}, "a tensor has no name");
    const JsonValue fields = entry.value.to_object(entry.key);
    tensor.dtype = read_dtype(tensor.name, fields);
    tensor.shape = read_shape(tensor.name, fields);
    read_offsets(fields, tensor);
    check_size(tensor);
    return tensor;
  }

  SafetensorsDtype read_dtype(const std::string& tensor, const JsonValue& fields) const {
    const std::string_view name = member(tensor, fields, "dtype").to_string(tensor + ".dtype");
    const auto dtype = safetensors_dtype_from_name(name);
    if (!dtype) fail(tensor, fmt::format("dtype {} is unknown", base::quote(name)));
    return *dtype;
  }

  std::vector<int32_t> read_shape(const std::string& tensor, const JsonValue& fields) const {
    const std::string field = tensor + ".shape";
    const JsonValue dims = member(tensor, fields, "shape").to_array(field);
    if (dims.size() > kMaxSafetensorsDims) {
      fail(tensor, fmt::format("shape has {} dimensions, more than {}", dims.size(), kMaxSafetensorsDims));
    }
    std::vector<int32_t> shape;
    for (size_t i = 0; i < dims.size(); ++i) {
      const auto dim = base::checked_cast<int32_t>(dims.element(i).to_uint(field));
      if (!dim) fail(tensor, fmt::format("shape: dimension {} is more than a 32-bit shape can hold", i));
      shape.push_back(*dim);
    }
    return shape;
  }

  void read_offsets(const JsonValue& fields, SafetensorsTensor& tensor) const {
    const std::string field = tensor.name + ".data_offsets";
    const JsonValue offsets = member(tensor.name, fields, "data_offsets").to_array(field);
    if (offsets.size() != 2) {
      fail(tensor.name, fmt::format("data_offsets holds {} numbers instead of 2", offsets.size()));
    }
    const uint64_t begin = offsets.element(0).to_uint(field);
    const uint64_t end = offsets.element(1).to_uint(field);
    if (begin > end) fail(tensor.name, fmt::format("data_offsets [{}, {}] are reversed", begin, end));
    if (end > data_bytes_) {
      fail(tensor.name,
           fmt::format("data_offsets [{}, {}] do not fit in the {} bytes of data", begin, end, data_bytes_));
    }
    tensor.offset = data_start_ + begin;
    tensor.bytes = end - begin;
  }

  void check_size(const SafetensorsTensor& tensor) const {
    std::vector<uint64_t> factors(tensor.shape.begin(), tensor.shape.end());
    factors.push_back(info(tensor.dtype).bits);
    const auto bits = base::checked_product(factors);
    if (!bits || *bits % 8 != 0 || *bits / 8 != tensor.bytes) {
      fail(tensor.name, fmt::format("data_offsets span {} bytes, which do not match shape and dtype {}", tensor.bytes,
                                    info(tensor.dtype).name));
    }
  }

  // Data must fill the file from the header to the end without gaps, as the reference implementation demands: what no
  // tensor describes could hide anything.
  void check_layout() {
    auto& tensors = file_.tensors_;
    std::sort(tensors.begin(), tensors.end(), [](const SafetensorsTensor& a, const SafetensorsTensor& b) {
      return std::tie(a.offset, a.bytes, a.name) < std::tie(b.offset, b.bytes, b.name);
    });
    uint64_t expected = data_start_;
    for (const SafetensorsTensor& tensor : tensors) {
      if (tensor.offset < expected) fail(tensor.name, "data_offsets overlap those of another tensor");
      if (tensor.offset > expected) {
        fail(tensor.name, fmt::format("data_offsets leave a gap of {} bytes before them", tensor.offset - expected));
      }
      expected += tensor.bytes;
    }
    if (const uint64_t rest = data_start_ + data_bytes_ - expected; rest != 0) {
      reader_.fail({"data"}, fmt::format("{} bytes at the end of the file belong to no tensor", rest));
    }
  }

  void index_names() {
    file_.by_name_.resize(file_.tensors_.size());
    std::iota(file_.by_name_.begin(), file_.by_name_.end(), 0u);
    std::sort(file_.by_name_.begin(), file_.by_name_.end(),
              [&](uint32_t a, uint32_t b) { return file_.tensors_[a].name < file_.tensors_[b].name; });
  }

  JsonValue member(const std::string& tensor, const JsonValue& fields, std::string_view key) const {
    const auto value = fields.find(key);
    if (!value) fail(tensor, fmt::format("{} is missing", key));
    return *value;
  }

  [[noreturn]] void fail(const std::string& tensor, const std::string& what) const {
    reader_.fail({"tensor", tensor}, what);
  }

  ByteReader reader_;
  const std::string& path_;
  SafetensorsFile file_;
  uint64_t data_start_ = 0;
  uint64_t data_bytes_ = 0;
};

SafetensorsFile parse_safetensors(std::span<const std::byte> bytes, const std::string& path) {
  return SafetensorsParser(bytes, path).parse();
}

const SafetensorsTensor* SafetensorsFile::find(std::string_view name) const {
  const auto at =
      std::lower_bound(by_name_.begin(), by_name_.end(), name,
                       [&](uint32_t index, std::string_view wanted) { return tensors_[index].name < wanted; });
  if (at == by_name_.end() || tensors_[*at].name != name) return nullptr;
  return &tensors_[*at];
}

const SafetensorsTensor& SafetensorsFile::tensor(std::string_view name) const {
  const SafetensorsTensor* found = find(name);
  if (found == nullptr) throw FileError(path_, fmt::format("tensor {} is missing", base::quote(name)));
  return *found;
}

void SafetensorsFile::require_computed(const SafetensorsTensor& tensor) const {
  if (info(tensor.dtype).computed) return;
  throw FileError(path_, fmt::format("tensor {} has dtype {}, which Plimsoll does not support",
                                     base::quote(tensor.name), info(tensor.dtype).name));
}

}  // namespace plimsoll::io
