#include "hal/dispatch.h"

#include <algorithm>
#include <numeric>

namespace plimsoll::hal {
namespace {

bool spans_overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

// Some i in [0, rows) puts a row of `region` over [begin, begin + bytes).
bool row_overlaps(const Region& region, uint64_t begin, uint64_t bytes) {
  const uint64_t end = begin + bytes;
  if (end <= region.address || begin >= region.end()) return false;
  if (region.rows == 1) return true;
  // The last row that starts before `end` is the only candidate that can reach furthest.
  const uint64_t last = std::min((end - 1 - region.address) / region.row_stride, region.rows - 1);
  return spans_overlap(region.address + last * region.row_stride, region.row_bytes, begin, bytes);
}

// Same stride: the rows' phases decide, the common range of rows assumed to be long enough to meet.
bool same_stride_overlap(const Region& a, const Region& b) {
  const uint64_t stride = a.row_stride;
  // Rows i of a and j of b meet where their starts differ by less than a row: for each of two neighbouring shifts.
  const Region& low = a.address <= b.address ? a : b;
  const Region& high = a.address <= b.address ? b : a;
  const uint64_t shift = (high.address - low.address) / stride;
  const uint64_t phase = (high.address - low.address) % stride;
  const bool meets_below = shift < low.rows && phase < low.row_bytes;
  const bool meets_above = shift + 1 < low.rows && phase + high.row_bytes > stride;
  return meets_below || meets_above;
}

}  // namespace

bool overlap(const Region& a, const Region& b) noexcept {
  if (a.empty() || b.empty() || a.end() <= b.address || b.end() <= a.address) return false;
  if (a.rows == 1) return row_overlaps(b, a.address, a.row_bytes);
  if (b.rows == 1) return row_overlaps(a, b.address, b.row_bytes);
  if (a.row_stride == b.row_stride) return same_stride_overlap(a, b);
  const Region& few = a.rows <= b.rows ? a : b;
  const Region& many = a.rows <= b.rows ? b : a;
  for (uint64_t i = 0; i < few.rows; ++i) {
    if (row_overlaps(many, few.address + i * few.row_stride, few.row_bytes)) return true;
  }
  return false;
}

}  // namespace plimsoll::hal
