// Rotary position embedding of contiguous rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plimsoll/dtype.h"

namespace plimsoll::cpu {

// Cosines and sines of one position, as rope_row wants them: float64 for float64 rows, else float32. Each table has
// `dims` entries; those of neighbouring pairs are repeated, with the sign of the rotation in the sine.
struct RopeTable {
  std::byte* cosines;
  std::byte* sines;
};

// Angles are position * frequencies[i], i < dims / 2, computed and reduced in float64. `inverse` rotates back.
void rope_table(Dtype dtype, const double* frequencies, double position, int dims, bool traditional, bool inverse,
                const RopeTable& table);

// Rotates the first `dims` of `length` elements and copies the others. `out` may be `x`.
void rope_row(Dtype dtype, const std::byte* x, std::byte* out, int64_t length, int dims, bool traditional,
              const RopeTable& table);

}  // namespace plimsoll::cpu
