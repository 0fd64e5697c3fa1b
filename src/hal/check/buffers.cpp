#include "hal/check/buffers.h"

#include <algorithm>
#include <iterator>

namespace plimsoll::hal::check {
namespace {

bool holds(const Buffer& buffer, const Region& region) {
  return region.address >= buffer.address && region.end() <= buffer.address + buffer.bytes;
}

}  // namespace

void Buffers::add(const Buffer& buffer, bool imported) {
  const std::lock_guard lock(mutex_);
  if (imported) {
    imported_.push_back(buffer);
  } else {
    own_[buffer.address] = buffer;
  }
}

void Buffers::remove(const Buffer& buffer) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(imported_.begin(), imported_.end(), [&](const Buffer& known) {
    return known.address == buffer.address && known.handle == buffer.handle && known.bytes == buffer.bytes;
  });
  if (found != imported_.end()) {
    imported_.erase(found);
  } else {
    own_.erase(buffer.address);
  }
}

std::optional<KnownBuffer> Buffers::find(const Region& region) const {
  const std::lock_guard lock(mutex_);
  const auto above = own_.upper_bound(region.address);
  if (above != own_.begin() && holds(std::prev(above)->second, region)) return KnownBuffer{std::prev(above)->second};
  for (const Buffer& buffer : imported_) {
    if (holds(buffer, region)) return KnownBuffer{buffer, true};
  }
  return std::nullopt;
}

}  // namespace plimsoll::hal::check
