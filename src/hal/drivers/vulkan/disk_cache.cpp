// A file is the line "plimsoll-cache 1 <SHA-256 of owner, key and content>" and the content.
#include "hal/drivers/vulkan/disk_cache.h"

#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/sha256.h"

namespace plimsoll::hal::vulkan {
namespace {

constexpr uint64_t kMostBytes = uint64_t{64} << 20;

}  // namespace

DiskCache::DiskCache(std::filesystem::path folder, std::string owner)
    : folder_(std::move(folder)), owner_(std::move(owner)) {}

std::string DiskCache::header(std::string_view key, std::string_view content) const {
  base::Sha256 sum;
  for (const std::string_view part : {std::string_view(owner_), key, content}) {
    sum.update(fmt::format("{} ", part.size()));
    sum.update(part);
  }
  return fmt::format("plimsoll-cache 1 {}\n", base::to_hex(sum.finish()));
}

std::optional<std::string> DiskCache::load(std::string_view key) const noexcept {
  try {
    const std::filesystem::path path = path_of(key);
    if (!std::filesystem::exists(path)) return std::nullopt;
    std::string file = base::read_file(path.string(), kMostBytes);
    const size_t header_bytes = header(key, {}).size();
    if (file.size() < header_bytes) return std::nullopt;
    const std::string_view content = std::string_view(file).substr(header_bytes);
    if (!file.starts_with(header(key, content))) return std::nullopt;
    return std::string(content);
  } catch (...) {
    return std::nullopt;
  }
}

void DiskCache::store(std::string_view key, std::string_view content) const noexcept {
  try {
    base::make_folders(folder_.string());
    base::AtomicFile file(path_of(key).string());
    file.write(header(key, content));
    file.write(content);
    file.commit();
  } catch (...) {
    // The content is at hand: only a later process has to make it again.
  }
}

}  // namespace plimsoll::hal::vulkan
