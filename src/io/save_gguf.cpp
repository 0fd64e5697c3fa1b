#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "plimsoll/io.h"
#include "plimsoll/ops/elementwise.h"
#include "plimsoll/transforms.h"

#include "io/gguf_writer.h"

namespace plimsoll {

namespace {

io::GgmlType stored_type(const std::string& name, Dtype dtype) {
  switch (dtype.val()) {
    case Dtype::Val::float32:
      return io::GgmlType::kF32;
    case Dtype::Val::float16:
      return io::GgmlType::kF16;
    case Dtype::Val::bfloat16:
      return io::GgmlType::kBF16;
    case Dtype::Val::float64:
      return io::GgmlType::kF64;
    case Dtype::Val::int8:
      return io::GgmlType::kI8;
    case Dtype::Val::int16:
      return io::GgmlType::kI16;
    case Dtype::Val::int32:
      return io::GgmlType::kI32;
    case Dtype::Val::int64:
      return io::GgmlType::kI64;
    default:
      throw std::invalid_argument(
          fmt::format("[save_gguf] array '{}' is {}, which GGUF cannot hold", name, name_of(dtype)));
  }
}

void add_value(io::GgufWriter& writer, const std::string& key, const GgufMetadata& value) {
  std::visit(
      [&]<typename T>(const T& v) {
        if constexpr (std::is_same_v<T, std::string>) {
          writer.add(key, std::string_view(v));
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          writer.add_strings(key, v);
        } else if constexpr (std::is_arithmetic_v<T>) {
          writer.add(key, v);
        } else {
          writer.add_array(key, std::span<const typename T::value_type>(v));
        }
      },
      value);
}

}  // namespace

void save_gguf(const std::string& file, const std::map<std::string, array>& arrays,
               const std::map<std::string, GgufMetadata>& metadata) {
  io::GgufWriter writer;
  for (const auto& [key, value] : metadata) add_value(writer, key, value);
  for (const auto& [name, values] : arrays) {
    const io::GgmlType type = stored_type(name, values.dtype());
    array rows = contiguous(values);
    eval(rows);
    std::vector<uint64_t> dims(rows.shape().begin(), rows.shape().end());
    std::ranges::reverse(dims);
    writer.add_tensor(name, type, dims, {rows.data<std::byte>(), rows.nbytes()});
  }
  writer.save(file);
}

}  // namespace plimsoll
