#include "hal/drivers/vulkan/kernel_table.h"

#include <algorithm>

#include "hal/drivers/vulkan/shader_compiler.h"

namespace plimsoll::hal::vulkan {

size_t KernelTable::KeyHash::operator()(const KeyView& key) const noexcept {
  constexpr uint64_t kMix = 0x9e3779b97f4a7c15;
  uint64_t hash = reinterpret_cast<uintptr_t>(key.words) * kMix;
  for (const uint32_t constant : key.constants) hash = (hash ^ (hash >> 29) ^ constant) * kMix;
  return hash ^ (hash >> 32);
}

KernelTable::KernelTable(const LogicalDevice& device) : builder_(device) {}

KernelTable::KernelSlot& KernelTable::slot(const KeyView& key) {
  {
    const std::shared_lock lock(mutex_);
    const auto found = kernels_.find(key);
    if (found != kernels_.end()) return found->second;
  }
  const std::unique_lock lock(mutex_);
  return kernels_.try_emplace(Key{key.words, {key.constants.begin(), key.constants.end()}}).first->second;
}

const Kernel& KernelTable::get(const KernelCode& code, std::span<const uint32_t> constants) {
  KernelSlot& slot = this->slot({code.spirv.data(), constants});
  const std::lock_guard lock(slot.making);
  if (slot.kernel == nullptr) {
    slot.kernel = std::make_unique<Kernel>(code.name, builder_.build(code.name, code.spirv, constants));
  }
  return *slot.kernel;
}

KernelTable::SourceSlot& KernelTable::source_slot(std::string_view source) {
  {
    const std::shared_lock lock(mutex_);
    const auto found = sources_.find(source);
    if (found != sources_.end()) return found->second;
  }
  const std::unique_lock lock(mutex_);
  return sources_.try_emplace(std::string(source)).first->second;
}

std::span<const uint32_t> KernelTable::compiled(const std::string& name, std::string_view source) {
  SourceSlot& slot = source_slot(source);
  const std::lock_guard lock(slot.making);
  if (slot.spirv.empty()) slot.spirv = compile_glsl(name, source);
  return slot.spirv;
}

const Kernel& KernelTable::get_from_source(const std::string& name, std::string_view source,
                                           std::span<const uint32_t> constants) {
  return get({.name = name.c_str(), .spirv = compiled(name, source), .hash = 0}, constants);
}

}  // namespace plimsoll::hal::vulkan
