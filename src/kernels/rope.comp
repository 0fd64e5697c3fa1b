// Rotary position embedding.
//
// Angles are counted in turns, as 64-bit fractions that wrap as angles do: a position times the turns of one step keeps
// its precision however far the position, without float64.
//# float: REAL_IS_FLOAT
//# double: ELEMENTS_FLOAT64
#version 460
#include "common.glsl"
#include "elements.glsl"
#include "math/bits.glsl"
#include "math/trigonometric.glsl"
#ifdef ELEMENTS_FLOAT64
#include "math/double/bits.glsl"
#include "math/double/trigonometric.glsl"
#endif

layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
layout(constant_id = 1) const bool TRADITIONAL = false;  // pairs of neighbours, else elements half of the width apart
layout(constant_id = 2) const bool WAVE_LENGTHS = false;  // turns come from an array, not from the parameters
layout(constant_id = 3) const bool VECTOR = false;  // fours of elements lie side by side at multiples of their size

#define ROW_OPERANDS 2
#include "rows.glsl"

#define GROUP 256
layout(local_size_x = GROUP) in;
#define RUN 4  // pairs of an invocation

LARGE_PARAMETERS {
  uint first_group;
  uint rows;        // entries * middles * positions
  uint positions;   // of an entry
  uint middles;     // rows of a position
  uint first_pair;  // the dispatch turns pairs [first_pair, first_pair + pairs)
  uint pairs;
  uint half_width;  // pairs of a row
  uint rest;        // elements behind them that are copied
  uint64_t in_;     // addresses
  uint64_t out_;
  uint64_t offsets;
  uint64_t wave_lengths;
  int64_t offset_step;  // of entries
  int64_t wave_length_step;
  int64_t in_step;      // of a row's elements
  int64_t entry_in, entry_out;
  int64_t position_in, position_out;
  RowAxes axes;     // of middles
  uint64_t scale;   // over 2 pi, as a fraction of 2^scale_exponent
  int scale_exponent;
  uint backwards;   // turns are negative
  uint64_t turns[];  // of one step, by pair
};
PARAMETER_POINTER

#ifdef ELEMENTS_FLOAT64
#define REAL double
#define REAL_NAN DOUBLE_NAN
#define QUARTER 3.4061215800865545e-19lf  // pi / 2 * 2^-62
#define real_sin_reduced double_sin_reduced
REAL load_real(uint64_t row, int64_t i) { return load_double(row, i); }
void store_real(uint64_t row, int64_t i, REAL value) { store_double(row, i, value); }
#else
#define REAL float
#define REAL_NAN FLOAT_NAN
#define QUARTER 3.4061216e-19
#define real_sin_reduced sin_reduced
REAL load_real(uint64_t row, int64_t i) { return load_float(DTYPE, row, i); }
void store_real(uint64_t row, int64_t i, REAL value) { store_float(DTYPE, row, i, value); }
#endif

uint64_t shifted(uint64_t value, int left) {
  if (left <= -64 || left >= 64) return uint64_t(0);
  return left >= 0 ? value << left : value >> -left;
}

// scale / (2 pi wave_length) modulo 1; `known` is false where that is no number.
uint64_t turns_of(float wave_length, out bool known) {
  const uint magnitude = magnitude_bits(wave_length);
  known = !is_nan(wave_length) && magnitude != 0u;
  if (!known || is_inf(wave_length)) return uint64_t(0);
  const bool subnormal = magnitude < 0x00800000u;
  const uint64_t significand = uint64_t((magnitude & 0x7fffffu) | (subnormal ? 0u : 0x800000u));
  const int exponent = int(max(magnitude >> 23, 1u)) - 150;
  // The quotient to 40 bits behind the point.
  const uint64_t whole = p.scale / significand;
  const uint64_t fraction = ((p.scale - whole * significand) << 40) / significand;
  const int left = p.scale_exponent - exponent;
  const uint64_t turns = shifted(whole, left) + shifted(fraction, left - 40);
  return has_sign(wave_length) != (p.backwards != 0u) ? uint64_t(0) - turns : turns;
}

// Cosine and sine of a fraction of 2^64 of a turn.
void cosine_and_sine(uint64_t turn, out REAL cosine, out REAL sine) {
  const uint64_t nearest = (turn + (uint64_t(1) << 61)) >> 62;
  const REAL angle = REAL(int64_t(turn - (nearest << 62))) * QUARTER;
  sine = real_sin_reduced(angle, int(nearest));
  cosine = real_sin_reduced(angle, int(nearest) + 1);
}

void rotation(int64_t place, uint pair, out REAL cosine, out REAL sine) {
  bool known = true;
  const uint64_t step = WAVE_LENGTHS
                            ? turns_of(load_float(DTYPE_FLOAT32, p.wave_lengths, pair * p.wave_length_step), known)
                            : p.turns[pair - p.first_pair];
  cosine_and_sine(uint64_t(place) * step, cosine, sine);
  if (!known) cosine = sine = REAL_NAN;
}

// Where a pair's elements are.
uint first_of(uint pair) { return TRADITIONAL ? 2 * pair : pair; }
uint second_of(uint pair) { return TRADITIONAL ? 2 * pair + 1 : pair + p.half_width; }

void turn_pair(uint64_t in_row, uint64_t out_row, int64_t place, uint pair) {
  REAL cosine, sine;
  rotation(place, pair, cosine, sine);
  const REAL a = load_real(in_row, first_of(pair) * p.in_step);
  const REAL b = load_real(in_row, second_of(pair) * p.in_step);
  store_real(out_row, first_of(pair), a * cosine - b * sine);
  store_real(out_row, second_of(pair), b * cosine + a * sine);
}

#ifndef ELEMENTS_FLOAT64
uint64_t four_address(uint64_t row, uint i) { return element_address(row, i, item_size(DTYPE)); }

// RUN pairs from `pair` on, four elements at a time.
void turn_pairs(uint64_t in_row, uint64_t out_row, int64_t place, uint pair) {
  const uint low_at = first_of(pair);
  const uint high_at = TRADITIONAL ? low_at + RUN : low_at + p.half_width;
  const vec4 low = load_float4(DTYPE, four_address(in_row, low_at));
  const vec4 high = load_float4(DTYPE, four_address(in_row, high_at));
  vec4 cosine, sine;
  [[unroll]] for (uint k = 0; k < RUN; ++k) rotation(place, pair + k, cosine[k], sine[k]);
  const vec4 a = TRADITIONAL ? vec4(low.xz, high.xz) : low;
  const vec4 b = TRADITIONAL ? vec4(low.yw, high.yw) : high;
  const vec4 first = a * cosine - b * sine;
  const vec4 second = b * cosine + a * sine;
  store_float4(DTYPE, four_address(out_row, low_at),
               TRADITIONAL ? vec4(first.x, second.x, first.y, second.y) : first);
  store_float4(DTYPE, four_address(out_row, high_at),
               TRADITIONAL ? vec4(first.z, second.z, first.w, second.w) : second);
}
#endif

// Elements behind the pairs.
void copy_rest(uint64_t in_row, uint64_t out_row, uint from) {
  const uint begin = 2 * p.half_width + from;
  const uint end = min(begin + RUN, 2 * p.half_width + p.rest);
  for (uint i = begin; i < end; ++i) copy_element(item_size(DTYPE), in_row, i * p.in_step, out_row, i);
}

void main() {
  const uint turning = (p.pairs + RUN - 1) / RUN;
  const uint units = turning + (p.rest + RUN - 1) / RUN;
  const uint64_t index = uint64_t(WORKGROUP) * GROUP + gl_LocalInvocationID.x;
  const uint row = uint(row_quotient(index, units));
  const uint unit = uint(index - uint64_t(row) * units);
  if (row >= p.rows) return;

  const uint position = row % p.positions;
  const uint middle = row / p.positions % p.middles;
  const uint entry = row / p.positions / p.middles;
  int64_t at[2];
  locate_row(p.axes, middle, at);
  const uint size = item_size(DTYPE);
  const uint64_t in_row = element_address(p.in_, at[0] + entry * p.entry_in + position * p.position_in, size);
  const uint64_t out_row = element_address(p.out_, at[1] + entry * p.entry_out + position * p.position_out, size);

  if (unit >= turning) {
    copy_rest(in_row, out_row, (unit - turning) * RUN);
    return;
  }
  const int64_t place = int64_t(position) + int64_t(load_int(DTYPE_INT32, p.offsets, entry * p.offset_step));
  const uint pair = p.first_pair + unit * RUN;
  const uint end = min(pair + RUN, p.first_pair + p.pairs);
#ifndef ELEMENTS_FLOAT64
  if (VECTOR && pair + RUN == end) {
    turn_pairs(in_row, out_row, place, pair);
    return;
  }
#endif
  for (uint k = pair; k < end; ++k) turn_pair(in_row, out_row, place, k);
}
