// A command as it was recorded, kept for as long as its list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/dispatch.h"

namespace plimsoll::hal::check {

struct Command {
  enum class Kind : uint8_t { kDispatch, kCopy, kFill, kBarrier };

  Kind kind = Kind::kBarrier;
  std::vector<Access> accesses;  // of a copy: from, to
  const char* label = "";
  // Of a dispatch.
  const Kernel* kernel = nullptr;
  std::vector<std::byte> parameters;
  uint32_t groups = 0;
  Cost cost;
  bool continued = false;
  // Of a fill.
  uint32_t pattern = 0;

  bool is_barrier() const { return kind == Kind::kBarrier; }
  const char* name() const {
    switch (kind) {
      case Kind::kDispatch:
        return kernel->name();
      case Kind::kCopy:
        return "copy";
      case Kind::kFill:
        return "fill";
      case Kind::kBarrier:
        return "barrier";
    }
    return "";
  }
};

// Whether `piece` can go on with the work of `before`.
inline bool continues(const Command& piece, const Command& before) {
  const auto same = [](const Access& a, const Access& b) { return a.region == b.region && a.kind == b.kind; };
  if (piece.kernel != before.kernel || piece.kernel == nullptr) return false;
  if (piece.accesses.size() != before.accesses.size()) return false;
  for (size_t i = 0; i < piece.accesses.size(); ++i) {
    if (!same(piece.accesses[i], before.accesses[i])) return false;
  }
  return true;
}

}  // namespace plimsoll::hal::check
