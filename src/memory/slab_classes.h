// The sizes of slots in slabs: 16, 32, 48; 64 to 1024 in steps of 64; then eight steps to each doubling, up to 4096.
// So slots of 64 bytes or more start on cache lines, and a slot is at most 63 bytes or 12.5 % larger than asked.
#pragma once

#include <bit>
#include <cstddef>

namespace plimsoll::memory {

constexpr size_t kMaxSlotBytes = 4096;
constexpr size_t kSlotClasses = 3 + 16 + 8 + 8;

// The class that holds `bytes`, 1 to kMaxSlotBytes.
constexpr size_t slot_class(size_t bytes) noexcept {
  if (bytes <= 48) return (bytes - 1) / 16;
  if (bytes <= 1024) return 3 + (bytes - 1) / 64;
  const size_t doubling = static_cast<size_t>(std::bit_width(bytes - 1)) - 11;  // 0 for 1025 to 2048
  const size_t step = size_t{128} << doubling;
  return 19 + doubling * 8 + (bytes - 1 - (size_t{1024} << doubling)) / step;
}

constexpr size_t slot_bytes(size_t slot_class) noexcept {
  if (slot_class < 3) return (slot_class + 1) * 16;
  if (slot_class < 19) return (slot_class - 2) * 64;
  const size_t doubling = (slot_class - 19) / 8;
  return (size_t{1024} << doubling) + ((slot_class - 19) % 8 + 1) * (size_t{128} << doubling);
}

}  // namespace plimsoll::memory
