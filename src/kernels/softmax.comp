// exp(x - max) / sum(exp(x - max)) and log(sum(exp(x))) of rows.
//
// A row is read once: LANES invocations keep what they read of it as long as it fits, together with a running maximum
// and the sum of exponentials relative to it (Milakov and Gimelshein, 2018). Rows too long for one workgroup, and too few
// to fill the device, are cut into chunks, whose maxima and sums go through memory.
//# float: REAL_IS_FLOAT
//# double: ELEMENTS_FLOAT64
#version 460
#include "common.glsl"
#include "elements.glsl"
#include "math/bits.glsl"
#include "math/exponential.glsl"
#ifdef ELEMENTS_FLOAT64
#include "math/double/bits.glsl"
#include "math/double/exponential.glsl"
#define real_exp double_exp
#define real_log double_log
#else
#define real_exp math_exp
#define real_log math_log
#endif

layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
layout(constant_id = 1) const uint LANES = 256;
layout(constant_id = 2) const uint PACK = 4;
layout(constant_id = 3) const bool VECTOR = false;
layout(constant_id = 4) const bool LOG = false;  // the logarithm of the sum alone
layout(constant_id = 5) const uint STEP = 0;

// STEP. A whole row by LANES invocations; the maximum and sum of a chunk by a workgroup; what is left to do for a chunk
// (for the row, of the logarithm).
#define STEP_ROW 0
#define STEP_GATHER 1
#define STEP_FINISH 2

#include "row_values.glsl"
#define ROW_OPERANDS 2
#include "rows.glsl"

PARAMETERS {
  uint first_group;
  uint rows;
  uint width;   // elements of a row
  uint chunks;  // of a row
  uint chunk;   // elements of one
  uint unused;
  uint64_t in_;
  uint64_t out_;
  uint64_t sums;    // [rows, chunks] maxima and sums
  int64_t in_step;  // elements
  RowAxes axes;     // of in and out
} p;

// The maximum of some elements, and the sum of exp(x - base_of(maximum)). NaN shows in the sum alone.
struct ExpSum {
  REAL maximum;
  REAL sum;
};

REAL larger(REAL a, REAL b) { return a > b ? a : b; }
REAL base_of(REAL maximum) { return abs(maximum) == REAL_INFINITY ? REAL(0) : maximum; }
REAL rebased(ExpSum part, REAL base) {
  return part.sum == REAL(0) ? REAL(0) : part.sum * real_exp(part.maximum - base);
}

#define GROUP_VALUE ExpSum
ExpSum group_shuffle(ExpSum value, uint distance) {
  return ExpSum(subgroupShuffleXor(value.maximum, distance), subgroupShuffleXor(value.sum, distance));
}
ExpSum group_combine(ExpSum a, ExpSum b) {
  const REAL maximum = larger(a.maximum, b.maximum);
  const REAL base = base_of(maximum);
  return ExpSum(maximum, rebased(a, base) + rebased(b, base));
}
#include "group.glsl"

// What an invocation holds of a row at once.
#define KEPT 4
REAL kept[KEPT][REAL_PACK];

uint lane() { return THREAD % LANES; }
uint position_of(uint k) { return (k * LANES + lane()) * PACK; }

void load_block(uint64_t row, uint at, uint end) {
  [[unroll]] for (uint k = 0; k < KEPT; ++k) load_values(row, p.in_step, at + position_of(k), end, -REAL_INFINITY, kept[k]);
}

ExpSum add_block(ExpSum before) {
  REAL maximum = before.maximum;
  [[unroll]] for (uint k = 0; k < KEPT; ++k) {
    [[unroll]] for (uint i = 0; i < PACK; ++i) maximum = larger(kept[k][i], maximum);
  }
  const REAL base = base_of(maximum);
  REAL sum = REAL(0);
  [[unroll]] for (uint k = 0; k < KEPT; ++k) {
    [[unroll]] for (uint i = 0; i < PACK; ++i) sum += real_exp(kept[k][i] - base);
  }
  return ExpSum(maximum, rebased(before, base) + sum);
}

// Elements [begin, end) of a row; the last block of them stays in `kept`.
ExpSum sum_of(uint64_t row, uint begin, uint end) {
  ExpSum total = ExpSum(-REAL_INFINITY, REAL(0));
  for (uint at = begin; at < end; at += KEPT * LANES * PACK) {
    load_block(row, at, end);
    total = add_block(total);
  }
  return total;
}

void store_block(uint64_t row, uint at, uint end, ExpSum total) {
  const REAL base = base_of(total.maximum);
  const REAL scale = total.maximum == REAL_INFINITY ? REAL_NAN : REAL(1) / total.sum;
  [[unroll]] for (uint k = 0; k < KEPT; ++k) {
    if (at + position_of(k) >= end) break;
    REAL values[REAL_PACK];
    [[unroll]] for (uint i = 0; i < PACK; ++i) values[i] = real_exp(kept[k][i] - base) * scale;
    store_values(row, at + position_of(k), end, values);
  }
}

// Elements [begin, end); they are read again unless all of them are kept.
void store_rows(uint64_t in_row, uint64_t out_row, uint begin, uint end, ExpSum total, bool are_kept) {
  for (uint at = begin; at < end; at += KEPT * LANES * PACK) {
    if (!are_kept) load_block(in_row, at, end);
    store_block(out_row, at, end, total);
  }
}

void store_log(uint64_t target, ExpSum total) { store_real(target, 0, base_of(total.maximum) + real_log(total.sum)); }

uint64_t sum_address(uint row, uint chunk) {
  return p.sums + (uint64_t(row) * p.chunks + chunk) * 2 * item_size(DTYPE == DTYPE_FLOAT64 ? DTYPE : DTYPE_FLOAT32);
}

void store_sum(uint64_t address, ExpSum total) {
#ifdef ELEMENTS_FLOAT64
  store_double(address, 0, total.maximum);
  store_double(address, 1, total.sum);
#else
  store_float(DTYPE_FLOAT32, address, 0, total.maximum);
  store_float(DTYPE_FLOAT32, address, 1, total.sum);
#endif
}

ExpSum load_sum(uint64_t address) {
#ifdef ELEMENTS_FLOAT64
  return ExpSum(load_double(address, 0), load_double(address, 1));
#else
  return ExpSum(load_float(DTYPE_FLOAT32, address, 0), load_float(DTYPE_FLOAT32, address, 1));
#endif
}

// The chunks of a row together; LANES is the whole workgroup.
ExpSum gathered(uint row) {
  ExpSum total = ExpSum(-REAL_INFINITY, REAL(0));
  for (uint chunk = lane(); chunk < p.chunks; chunk += LANES) {
    total = group_combine(total, load_sum(sum_address(row, chunk)));
  }
  return group_fold(total, 1, LANES);
}

void main() {
  const uint parts = STEP == STEP_ROW || (STEP == STEP_FINISH && LOG) ? 1 : p.chunks;
  const uint row = WORKGROUP / parts * (GROUP / LANES) + THREAD / LANES;
  const uint chunk = WORKGROUP % parts;
  const bool inside = row < p.rows;
  int64_t at[2];
  locate_row(p.axes, inside ? row : 0, at);
  const uint size = item_size(DTYPE);
  const uint64_t in_row = element_address(p.in_, at[0], size);
  const uint64_t out_row = element_address(p.out_, at[1], size);
  const uint begin = STEP == STEP_ROW ? 0 : chunk * p.chunk;
  const uint end = inside ? min(p.width, STEP == STEP_ROW ? p.width : begin + p.chunk) : begin;

  ExpSum total;
  if (STEP == STEP_FINISH) {
    total = gathered(row);
  } else {
    total = group_fold(sum_of(in_row, begin, end), 1, LANES);
  }
  if (STEP == STEP_GATHER) {
    if (lane() == 0) store_sum(sum_address(row, chunk), total);
  } else if (LOG) {
    if (inside && lane() == 0) store_log(out_row, total);
  } else {
    const bool are_kept = STEP == STEP_ROW && p.width <= KEPT * LANES * PACK;
    store_rows(in_row, out_row, begin, end, total, are_kept);
  }
}
