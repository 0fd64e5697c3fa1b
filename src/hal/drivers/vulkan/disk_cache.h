// Small files that can be made again: compiled pipelines and SPIR-V. Whatever is wrong with one, it counts as absent;
// what cannot be written is not kept.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::hal::vulkan {

class DiskCache {
 public:
  // Files lie in `folder`, made when the first is stored. `owner`: what the contents are good for (a device's identity,
  // a compiler's version); a file of another owner is ignored.
  DiskCache(std::filesystem::path folder, std::string owner);

  // Content of an entry, checked against its sum. `key` is a file name.
  std::optional<std::string> load(std::string_view key) const noexcept;

  // Whole or not at all, whoever else writes or crashes.
  void store(std::string_view key, std::string_view content) const noexcept;

 private:
  std::string header(std::string_view key, std::string_view content) const;
  std::filesystem::path path_of(std::string_view key) const { return folder_ / key; }

  std::filesystem::path folder_;
  std::string owner_;
};

}  // namespace plimsoll::hal::vulkan
