// What the system says about memory: of the machine, of the group of processes that we run in, of this process.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace plimsoll::memory {

// Bytes. Every call reads anew: figures age within milliseconds.
class SystemProbe {
 public:
  virtual ~SystemProbe() = default;

  // Memory of the machine.
  virtual size_t ram() const = 0;

  // What the machine could hand out without swapping; nothing where the system does not say.
  virtual std::optional<size_t> available() const = 0;

  // The least limit of the control groups (v1 or v2) that this process is in; nothing where there is none.
  virtual std::optional<size_t> group_limit() const = 0;

  // Resident memory of this process, its part of mapped files included; 0 where the system does not say.
  virtual size_t footprint() const = 0;
};

// Reads /proc and /sys/fs/cgroup. `root` is put before each path, for tests with a tree of their own.
std::unique_ptr<SystemProbe> make_system_probe(const std::string& root = "");

// Fixed figures, for tests.
struct FakeProbe final : SystemProbe {
  size_t ram_bytes = 0;
  std::optional<size_t> available_bytes;
  std::optional<size_t> group_limit_bytes;
  size_t footprint_bytes = 0;

  size_t ram() const override { return ram_bytes; }
  std::optional<size_t> available() const override { return available_bytes; }
  std::optional<size_t> group_limit() const override { return group_limit_bytes; }
  size_t footprint() const override { return footprint_bytes; }
};

}  // namespace plimsoll::memory
