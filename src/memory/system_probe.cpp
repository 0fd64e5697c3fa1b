#include "memory/system_probe.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string_view>

namespace plimsoll::memory {

namespace {

// Limits of this size or more mean "none" (v1 writes the largest multiple of a page).
constexpr size_t kNoLimit = size_t{1} << 62;

std::optional<size_t> parse_number(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return std::nullopt;
  size_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + start, text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

// The figure, in kB in the file, of a line "<field>:   123 kB".
std::optional<size_t> read_field(const std::string& path, std::string_view field) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(field) || line.size() <= field.size() || line[field.size()] != ':') continue;
    const auto kilobytes = parse_number(std::string_view(line).substr(field.size() + 1));
    if (kilobytes) return *kilobytes * 1024;
  }
  return std::nullopt;
}

std::optional<size_t> read_limit(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  if (!(file >> text)) return std::nullopt;
  const auto bytes = parse_number(text);
  return bytes && *bytes < kNoLimit ? bytes : std::nullopt;
}

std::optional<size_t> least(std::optional<size_t> a, std::optional<size_t> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// A group is bound by its ancestors too. Inside a container the path may lead above what is mounted: folders that are
// not there bind nobody.
std::optional<size_t> least_limit_upwards(const std::string& mount, std::string group, const char* file) {
  std::optional<size_t> limit;
  for (;;) {
    limit = least(limit, read_limit(mount + group + "/" + file));
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos) return limit;
    group.resize(slash);
  }
}

class LinuxProbe final : public SystemProbe {
 public:
  explicit LinuxProbe(const std::string& root) : root_(root) {}

  size_t ram() const override { return read_field(root_ + "/proc/meminfo", "MemTotal").value_or(0); }

  std::optional<size_t> available() const override { return read_field(root_ + "/proc/meminfo", "MemAvailable"); }

  std::optional<size_t> group_limit() const override {
    std::optional<size_t> limit;
    std::ifstream file(root_ + "/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) limit = least(limit, limit_of(line));
    return limit;
  }

  size_t footprint() const override {
    if (const auto exact = read_field(root_ + "/proc/self/smaps_rollup", "Rss")) return *exact;
    std::ifstream file(root_ + "/proc/self/statm");
    size_t size = 0;
    size_t resident = 0;
    return file >> size >> resident ? resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) : 0;
  }

 private:
  // Of a line "<hierarchy>:<controllers>:<path>".
  std::optional<size_t> limit_of(const std::string& line) const {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) return std::nullopt;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    const std::string mount = root_ + "/sys/fs/cgroup";
    if (controllers.empty()) return least_limit_upwards(mount, group, "memory.max");
    if (("," + controllers + ",").find(",memory,") == std::string::npos) return std::nullopt;
    return least_limit_upwards(mount + "/memory", group, "memory.limit_in_bytes");
  }

  std::string root_;
};

}  // namespace

std::unique_ptr<SystemProbe> make_system_probe(const std::string& root) { return std::make_unique<LinuxProbe>(root); }

}  // namespace plimsoll::memory
