// Rows normalized: x / sqrt(mean(x^2) + eps), or (x - mean) / sqrt(variance + eps), times a weight, plus a bias.
//
// LANES invocations keep what they read of a row as long as it fits; longer ones are read again.
//# float: REAL_IS_FLOAT
//# double: ELEMENTS_FLOAT64
#version 460
#include "common.glsl"
#include "elements.glsl"
#include "math/bits.glsl"

layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
layout(constant_id = 1) const uint LANES = 256;
layout(constant_id = 2) const uint PACK = 4;
layout(constant_id = 3) const bool VECTOR = false;
layout(constant_id = 4) const bool CENTER = false;  // the mean is subtracted
layout(constant_id = 5) const bool WEIGHT = false;
layout(constant_id = 6) const bool BIAS = false;

#include "row_values.glsl"
#define ROW_OPERANDS 2
#include "rows.glsl"

PARAMETERS {
  uint first_group;
  uint rows;
  uint width;   // elements of a row
  float eps;
  uint64_t in_;
  uint64_t out_;
  uint64_t weight;
  uint64_t bias;
  int64_t in_step;  // elements
  int weight_step;
  int bias_step;
  RowAxes axes;     // of in and out
} p;

#define GROUP_VALUE REAL
REAL group_shuffle(REAL value, uint distance) { return subgroupShuffleXor(value, distance); }
REAL group_combine(REAL a, REAL b) { return a + b; }
#include "group.glsl"

// What an invocation holds of a row at once.
#define KEPT 4
REAL kept[KEPT][REAL_PACK];

uint lane() { return THREAD % LANES; }
uint position_of(uint k) { return (k * LANES + lane()) * PACK; }
bool all_kept() { return p.width <= KEPT * LANES * PACK; }

void load_block(uint64_t row, uint at, uint end) {
  [[unroll]] for (uint k = 0; k < KEPT; ++k) {
    load_values(row, p.in_step, at + position_of(k), end, REAL(0), kept[k]);
  }
}

// The sum of (x - center)^2 over what is held of the elements before `end`; of x itself with `plain`.
REAL sum_block(uint at, uint end, REAL center, bool plain) {
  REAL sum = REAL(0);
  [[unroll]] for (uint k = 0; k < KEPT; ++k) {
    const uint position = at + position_of(k);
    [[unroll]] for (uint i = 0; i < PACK; ++i) {
      const REAL distance = position + i < end ? kept[k][i] - center : REAL(0);
      sum += plain ? distance : distance * distance;
    }
  }
  return sum;
}

REAL mean_of(uint64_t row, uint end, REAL center, bool plain) {
  REAL sum = REAL(0);
  for (uint at = 0; at < end; at += KEPT * LANES * PACK) {
    if (!all_kept()) load_block(row, at, end);
    sum += sum_block(at, end, center, plain);
  }
  return group_fold(sum, 1, LANES) / REAL(p.width);
}

void store_block(uint64_t row, uint at, uint end, REAL center, REAL scale) {
  for (uint k = 0; k < KEPT; ++k) {
    const uint position = at + position_of(k);
    if (position >= end) break;
    REAL weights[REAL_PACK], biases[REAL_PACK], values[REAL_PACK];
    if (WEIGHT) load_values(p.weight, p.weight_step, position, end, REAL(0), weights);
    if (BIAS) load_values(p.bias, p.bias_step, position, end, REAL(0), biases);
    [[unroll]] for (uint i = 0; i < PACK; ++i) {
      REAL normal = (kept[k][i] - center) * scale;
      if (WEIGHT) normal *= weights[i];
      if (BIAS) normal += biases[i];
      values[i] = normal;
    }
    store_values(row, position, end, values);
  }
}

void main() {
  const uint row = WORKGROUP * (GROUP / LANES) + THREAD / LANES;
  const bool inside = row < p.rows;
  const uint end = inside ? p.width : 0;
  int64_t at[2];
  locate_row(p.axes, inside ? row : 0, at);
  const uint size = item_size(DTYPE);
  const uint64_t in_row = element_address(p.in_, at[0], size);
  const uint64_t out_row = element_address(p.out_, at[1], size);

  if (all_kept()) load_block(in_row, 0, end);
  const REAL center = CENTER ? mean_of(in_row, end, REAL(0), true) : REAL(0);
  const REAL spread = mean_of(in_row, end, center, false);
  const REAL scale = REAL(1) / sqrt(spread + REAL(p.eps));
  for (uint block = 0; block < end; block += KEPT * LANES * PACK) {
    if (!all_kept()) load_block(in_row, block, end);
    store_block(out_row, block, end, center, scale);
  }
}
