// Kernels that are a name and nothing more, for devices that run none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "hal/kernel.h"

namespace plimsoll::hal::null {

class Kernel final : public hal::Kernel {
 public:
  explicit Kernel(std::string_view name) : name_(name) {}
  const char* name() const noexcept override { return name_.c_str(); }

 private:
  const std::string name_;
};

// Thread-safe.
class Kernels {
 public:
  // One kernel for each name, source (empty for code built ahead of time) and constants; made on first use.
  const Kernel& find(std::string_view name, std::string_view source, std::span<const uint32_t> constants);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Kernel> kernels_;
};

}  // namespace plimsoll::hal::null
