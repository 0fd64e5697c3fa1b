#include "gpu/kernel_cache.h"

#include <algorithm>

namespace plimsoll::gpu {

size_t KernelCache::Hash::operator()(const View& view) const noexcept {
  size_t hash = std::hash<const void*>{}(view.code);
  for (const uint32_t constant : view.constants) hash = (hash ^ constant) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

const hal::Kernel& KernelCache::find(const hal::KernelCode& code, std::span<const uint32_t> constants) {
  const auto found = kernels_.find(View{&code, constants});
  if (found != kernels_.end()) return *found->second;
  if (!waits_) throw KernelNotReady{&code, {constants.begin(), constants.end()}};
  const KernelNotReady missing{&code, {constants.begin(), constants.end()}};
  missing.make(device_);
  add(missing);
  return *kernels_.find(View{&code, constants})->second;
}

void KernelCache::add(const KernelNotReady& made) {
  kernels_.insert_or_assign(Key{made.code, made.constants}, &device_.kernel(*made.code, made.constants));
}

}  // namespace plimsoll::gpu
