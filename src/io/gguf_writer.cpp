#include "io/gguf_writer.h"

#include <stdexcept>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/file.h"
#include "io/gguf.h"

namespace plimsoll::io {

void GgufWriter::append_bytes(Bytes& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void GgufWriter::append_text(Bytes& out, std::string_view text) {
  append<uint64_t>(out, text.size());
  append_bytes(out, std::as_bytes(std::span(text)));
}

void GgufWriter::pad(Bytes& out) { out.resize(*base::checked_align_up(out.size(), size_t{kDefaultGgufAlignment})); }

void GgufWriter::begin_entry(std::string_view key, GgufType type) {
  ++keys_;
  append_text(entries_, key);
  append(entries_, static_cast<uint32_t>(type));
}

void GgufWriter::begin_array(std::string_view key, GgufType element_type, uint64_t count) {
  begin_entry(key, GgufType::kArray);
  append(entries_, static_cast<uint32_t>(element_type));
  append(entries_, count);
}

void GgufWriter::add(std::string_view key, std::string_view text) {
  begin_entry(key, GgufType::kString);
  append_text(entries_, text);
}

void GgufWriter::add_strings(std::string_view key, std::span<const std::string> texts) {
  begin_array(key, GgufType::kString, texts.size());
  for (const std::string& text : texts) append_text(entries_, text);
}

void GgufWriter::add_tensor(std::string_view name, GgmlType type, std::span<const uint64_t> dims,
                            std::span<const std::byte> bytes) {
  const GgmlTypeInfo& layout = info(type);
  const auto elements = base::checked_product(dims);
  if (!elements || *elements / layout.block_elements * layout.block_bytes != bytes.size()) {
    throw std::invalid_argument(
        fmt::format("[GgufWriter] tensor '{}' has {} bytes, which do not match its dimensions in {}", name,
                    bytes.size(), layout.name));
  }
  ++tensors_;
  append_text(infos_, name);
  append(infos_, static_cast<uint32_t>(dims.size()));
  for (const uint64_t dim : dims) append(infos_, dim);
  append(infos_, static_cast<uint32_t>(type));
  append<uint64_t>(infos_, data_.size());
  append_bytes(data_, bytes);
  pad(data_);
}

std::vector<std::byte> GgufWriter::serialize() const {
  Bytes out;
  append_bytes(out, std::as_bytes(std::span("GGUF", 4)));
  append<uint32_t>(out, 3);
  append(out, tensors_);
  append(out, keys_);
  append_bytes(out, entries_);
  append_bytes(out, infos_);
  pad(out);
  append_bytes(out, data_);
  return out;
}

void GgufWriter::save(const std::string& path) const {
  base::AtomicFile file(path);
  file.write(serialize());
  file.commit();
}

}  // namespace plimsoll::io
