#include <filesystem>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "plimsoll/io.h"
#include "plimsoll/ops/elementwise.h"
#include "plimsoll/transforms.h"

#include "base/file.h"
#include "base/quote.h"
#include "io/mapping.h"
#include "io/safetensors.h"
#include "io/safetensors_writer.h"

namespace plimsoll {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxIndexBytes = uint64_t{256} << 20;

struct DtypePair {
  io::SafetensorsDtype stored;
  Dtype dtype;
};

constexpr DtypePair kDtypes[] = {
    {io::SafetensorsDtype::kBool, bool_},    {io::SafetensorsDtype::kU8, uint8},
    {io::SafetensorsDtype::kI8, int8},       {io::SafetensorsDtype::kU16, uint16},
    {io::SafetensorsDtype::kI16, int16},     {io::SafetensorsDtype::kF16, float16},
    {io::SafetensorsDtype::kBF16, bfloat16}, {io::SafetensorsDtype::kU32, uint32},
    {io::SafetensorsDtype::kI32, int32},     {io::SafetensorsDtype::kF32, float32},
    {io::SafetensorsDtype::kU64, uint64},    {io::SafetensorsDtype::kI64, int64},
    {io::SafetensorsDtype::kF64, float64},   {io::SafetensorsDtype::kC64, complex64},
};

array make_array(io::Mapping& mapping, const io::SafetensorsFile& file, const io::SafetensorsTensor& stored) {
  for (const DtypePair& pair : kDtypes) {
    if (pair.stored != stored.dtype) continue;
    Shape shape(stored.shape.begin(), stored.shape.end());
    // A byte that is neither 0 nor 1 is no bool to C++.
    if (pair.dtype == bool_) return astype(mapping.tensor(stored.offset, std::move(shape), uint8), bool_);
    return mapping.tensor(stored.offset, std::move(shape), pair.dtype);
  }
  file.require_computed(stored);
  throw FileError(file.path(), fmt::format("tensor {} has an unknown dtype", base::quote(stored.name)));
}

void load_file(const std::string& path, SafetensorsLoad& load) {
  const auto mapping = io::Mapping::open(path);
  const io::SafetensorsFile file = io::parse_safetensors(mapping->bytes(), path);
  for (const io::SafetensorsTensor& stored : file.tensors()) {
    if (!load.first.emplace(stored.name, make_array(*mapping, file, stored)).second) {
      throw FileError(path, fmt::format("tensor {} is in another file of the folder too", base::quote(stored.name)));
    }
  }
  load.second.clear();
  for (const auto& [key, value] : file.metadata()) load.second.emplace(key, value);
}

io::SafetensorsDtype stored_dtype(Dtype dtype) {
  for (const DtypePair& pair : kDtypes) {
    if (pair.dtype == dtype) return pair.stored;
  }
  __builtin_unreachable();
}

}  // namespace

SafetensorsLoad load_safetensors(const std::string& file, StreamOrDevice) {
  SafetensorsLoad load;
  load_file(file, load);
  return load;
}

SafetensorsLoad load_safetensors_folder(const std::string& folder) {
  SafetensorsLoad load;
  const std::string index_path = (fs::path(folder) / "model.safetensors.index.json").string();
  if (!fs::exists(index_path)) {
    load_file((fs::path(folder) / "model.safetensors").string(), load);
    return load;
  }
  const io::SafetensorsIndex index =
      io::parse_safetensors_index(base::read_file(index_path, kMaxIndexBytes), index_path);
  for (const std::string& name : index.files) load_file((fs::path(folder) / name).string(), load);
  for (const io::SafetensorsIndex::Weight& weight : index.weights) {
    if (load.first.contains(weight.name)) continue;
    throw FileError(index_path, fmt::format("tensor {} is said to be in {}, which has none of that name",
                                            base::quote(weight.name), base::quote(index.files[weight.file])));
  }
  return load;
}

void save_safetensors(const std::string& file, std::unordered_map<std::string, array> arrays,
                      std::unordered_map<std::string, std::string> metadata) {
  std::vector<io::SafetensorsItem> items;
  std::optional<array> current;
  for (const auto& [name, values] : arrays) {
    io::SafetensorsItem item{name, stored_dtype(values.dtype()), {values.shape().begin(), values.shape().end()}, {}};
    item.bytes = [&current, values]() -> std::span<const std::byte> {
      current = contiguous(values);
      eval(*current);
      return {current->data<std::byte>(), current->nbytes()};
    };
    items.push_back(std::move(item));
  }
  io::write_safetensors(file, std::move(items), {metadata.begin(), metadata.end()});
}

}  // namespace plimsoll
