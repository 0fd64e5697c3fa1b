#include "hal/drivers/null/kernels.h"

namespace plimsoll::hal::null {

const Kernel& Kernels::find(std::string_view name, std::string_view source, std::span<const uint32_t> constants) {
  std::string key;
  key.reserve(name.size() + source.size() + constants.size_bytes() + 2);
  key.append(name).push_back('\0');
  key.append(source).push_back('\0');
  key.append(reinterpret_cast<const char*>(constants.data()), constants.size_bytes());
  const std::lock_guard lock(mutex_);
  return kernels_.try_emplace(std::move(key), name).first->second;
}

}  // namespace plimsoll::hal::null
