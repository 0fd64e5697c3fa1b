#include "io/safetensors_writer.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/file.h"
#include "base/json.h"
#include "base/quote.h"
#include "base/utf8.h"

namespace plimsoll::io {
namespace {

constexpr size_t kHeaderAlignment = 8;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("[save_safetensors] " + what); }

uint64_t size_of(const SafetensorsItem& item) {
  uint64_t bits = info(item.dtype).bits;
  for (const int32_t dim : item.shape) {
    if (dim < 0) refuse(fmt::format("tensor {} has a negative dimension", base::quote(item.name)));
    bits = base::value_or_throw(base::checked_mul(bits, static_cast<uint64_t>(dim)), "[save_safetensors] size");
  }
  if (bits % 8 != 0) refuse(fmt::format("tensor {} does not end on a whole byte", base::quote(item.name)));
  return bits / 8;
}

void check_text(std::string_view text) {
  if (!base::is_utf8(text)) refuse(fmt::format("{} is not UTF-8", base::quote(text)));
}

void refuse_twice(std::string_view what, std::vector<std::string_view> names) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) refuse(fmt::format("{} {} is given twice", what, base::quote(*twice)));
}

void check_names(const std::vector<SafetensorsItem>& items) {
  std::vector<std::string_view> names;
  for (const SafetensorsItem& item : items) {
    check_text(item.name);
    if (item.name.empty() || item.name == "__metadata__") {
      refuse(fmt::format("a tensor cannot be named {}", base::quote(item.name)));
    }
    names.push_back(item.name);
  }
  refuse_twice("tensor", std::move(names));
}

std::string metadata_text(const SafetensorsFile::Metadata& metadata) {
  std::vector<std::string_view> keys;
  std::string text = "\"__metadata__\":{";
  for (const auto& [key, value] : metadata) {
    check_text(key);
    check_text(value);
    keys.push_back(key);
    if (text.back() != '{') text += ',';
    text += base::json_quoted(key) + ':' + base::json_quoted(value);
  }
  refuse_twice("metadata key", std::move(keys));
  return text + '}';
}

std::string header_text(const std::vector<SafetensorsItem>& items, const SafetensorsFile::Metadata& metadata) {
  std::string text = "{";
  if (!metadata.empty()) text += metadata_text(metadata);
  uint64_t offset = 0;
  for (const SafetensorsItem& item : items) {
    const uint64_t end = base::value_or_throw(base::checked_add(offset, size_of(item)), "[save_safetensors] size");
    if (text.size() > 1) text += ',';
    text += fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", base::json_quoted(item.name),
                        info(item.dtype).name, fmt::join(item.shape, ","), offset, end);
    offset = end;
  }
  text += '}';
  text.resize(*base::checked_align_up(text.size(), kHeaderAlignment), ' ');
  return text;
}

void write_item(base::AtomicFile& file, const SafetensorsItem& item) {
  const auto bytes = item.bytes();
  if (bytes.size() != size_of(item)) {
    refuse(fmt::format("tensor {} gave {} bytes, but shape and dtype {} need {}", base::quote(item.name), bytes.size(),
                       info(item.dtype).name, size_of(item)));
  }
  file.write(bytes);
}

}  // namespace

void write_safetensors(const std::string& path, std::vector<SafetensorsItem> items,
                       const SafetensorsFile::Metadata& metadata) {
  check_names(items);
  std::sort(items.begin(), items.end(), [](const SafetensorsItem& a, const SafetensorsItem& b) {
    const uint32_t a_bits = info(a.dtype).bits, b_bits = info(b.dtype).bits;
    return a_bits != b_bits ? a_bits > b_bits : a.name < b.name;
  });
  const std::string header = header_text(items, metadata);
  const uint64_t length = header.size();

  base::AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
  for (const SafetensorsItem& item : items) write_item(file, item);
  file.commit();
}

}  // namespace plimsoll::io
