// Elements of an output combined: sums, products, extrema. A reduction whose outputs are too few to fill the device is
// cut into chunks, whose totals this kernel combines in a second run.
//# float: REDUCE_FLOAT
//# int: REDUCE_INT
//# double: REDUCE_DOUBLE ELEMENTS_FLOAT64
//# complex: REDUCE_COMPLEX
#version 460
#include "common.glsl"
#include "elements.glsl"
#include "pack.glsl"

layout(constant_id = 0) const uint FOLD = 0;
layout(constant_id = 1) const uint IN = DTYPE_FLOAT32;
layout(constant_id = 2) const uint OUT = DTYPE_FLOAT32;
layout(constant_id = 3) const uint LANES = 256;
layout(constant_id = 4) const bool ADJACENT = true;
layout(constant_id = 5) const uint PACK = 1;       // 1, or the elements of 16 bytes where they lie side by side
layout(constant_id = 6) const bool VECTOR = false;  // packs lie at multiples of 16 bytes

#define FOLD_SUM 0
#define FOLD_PROD 1
#define FOLD_MAX 2
#define FOLD_MIN 3

#include "math/bits.glsl"

// LANE_VALUE: what elements accumulate in; lane_identity() changes nothing when combined, and is a bool's value of bool.
// GROUP_VALUE: what short runs of them are combined in, so that the error of a sum does not grow with its length.
#if defined(REDUCE_FLOAT)

#define LANE_VALUE float
float lane_identity() {
  if (FOLD == FOLD_SUM) return 0.0;
  if (FOLD == FOLD_PROD) return 1.0;
  return FOLD == FOLD_MAX ? -FLOAT_INFINITY : FLOAT_INFINITY;
}
float lane_combine(float a, float b) {
  if (FOLD == FOLD_SUM) return a + b;
  if (FOLD == FOLD_PROD) return a * b;
  return FOLD == FOLD_MAX ? max_or_nan(a, b) : min_or_nan(a, b);
}

// With what a sum rounded off.
#define GROUP_VALUE vec2
vec2 total_of(float value) { return vec2(value, 0.0); }
float value_of(vec2 total) { return total.x; }
vec2 group_shuffle(vec2 value, uint distance) { return subgroupShuffleXor(value, distance); }
vec2 group_combine(vec2 a, vec2 b) {
  if (FOLD != FOLD_SUM) return vec2(lane_combine(a.x, b.x), 0.0);
  const vec2 sum = two_sum(a.x, b.x);
  if (!is_finite(sum.x)) return vec2(sum.x, 0.0);
  precise float low = sum.y + (a.y + b.y);
  return two_sum(sum.x, low);
}

#elif defined(REDUCE_INT)

// Modulo 2^64, so that any narrower integer is exact modulo its own size.
#define LANE_VALUE int64_t
#define TOTAL_IS_LANE_VALUE
int64_t group_shuffle(int64_t value, uint distance) {
  const uvec2 words = unpackUint2x32(uint64_t(value));
  return int64_t(packUint2x32(uvec2(subgroupShuffleXor(words.x, distance), subgroupShuffleXor(words.y, distance))));
}
int64_t lane_identity() {
  if (FOLD == FOLD_SUM || FOLD == FOLD_PROD) return FOLD;
  if (IN == DTYPE_BOOL || IN == DTYPE_UINT64) return FOLD == FOLD_MAX ? 0 : IN == DTYPE_BOOL ? 1 : -1;
  const int64_t lowest = int64_t(1) << 63;
  return FOLD == FOLD_MAX ? lowest : ~lowest;
}
bool is_less(int64_t a, int64_t b) { return IN == DTYPE_UINT64 ? uint64_t(a) < uint64_t(b) : a < b; }
int64_t lane_combine(int64_t a, int64_t b) {
  if (FOLD == FOLD_SUM) return a + b;
  if (FOLD == FOLD_PROD) return a * b;
  return is_less(a, b) == (FOLD == FOLD_MAX) ? b : a;
}

#elif defined(REDUCE_DOUBLE)

#define LANE_VALUE double
#define TOTAL_IS_LANE_VALUE
double group_shuffle(double value, uint distance) { return subgroupShuffleXor(value, distance); }
double infinity() { return packDouble2x32(uvec2(0u, 0x7ff00000u)); }
bool is_nan(double x) { return (unpackDouble2x32(x).y & 0x7fffffffu) + uint(unpackDouble2x32(x).x != 0u) > 0x7ff00000u; }
double lane_identity() {
  if (FOLD == FOLD_SUM) return 0.0lf;
  if (FOLD == FOLD_PROD) return 1.0lf;
  return FOLD == FOLD_MAX ? -infinity() : infinity();
}
double lane_combine(double a, double b) {
  if (FOLD == FOLD_SUM) return a + b;
  if (FOLD == FOLD_PROD) return a * b;
  if (is_nan(a) || is_nan(b)) return is_nan(a) ? a : b;
  return (a < b) == (FOLD == FOLD_MAX) ? b : a;
}

#elif defined(REDUCE_COMPLEX)

#define LANE_VALUE vec2
#define TOTAL_IS_LANE_VALUE
vec2 group_shuffle(vec2 value, uint distance) { return subgroupShuffleXor(value, distance); }
vec2 lane_identity() {
  if (FOLD == FOLD_SUM) return vec2(0.0);
  if (FOLD == FOLD_PROD) return vec2(1.0, 0.0);
  return vec2(FOLD == FOLD_MAX ? -FLOAT_INFINITY : FLOAT_INFINITY);
}
// Ordered by the real part, then by the imaginary one.
vec2 lane_combine(vec2 a, vec2 b) {
  if (FOLD == FOLD_SUM) return a + b;
  if (FOLD == FOLD_PROD) return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
  if (is_nan(a.x) || is_nan(a.y)) return a;
  if (is_nan(b.x) || is_nan(b.y)) return b;
  const bool less = a.x < b.x || (a.x == b.x && a.y < b.y);
  return less == (FOLD == FOLD_MAX) ? b : a;
}

#endif

#ifdef TOTAL_IS_LANE_VALUE
#define GROUP_VALUE LANE_VALUE
GROUP_VALUE total_of(LANE_VALUE value) { return value; }
LANE_VALUE value_of(GROUP_VALUE total) { return total; }
GROUP_VALUE group_combine(GROUP_VALUE a, GROUP_VALUE b) { return lane_combine(a, b); }
#endif

#include "group.glsl"
#include "reduction.glsl"

// Four running values, so that no lane waits for its last addition; after kRunSteps steps they join the total.
LANE_VALUE parts[4];
GROUP_VALUE total;
uint steps = 0;
const uint kRunSteps = 4;

void take(uint part, LANE_VALUE value) { parts[part] = lane_combine(parts[part], value); }

void start_run() {
  [[unroll]] for (uint k = 0; k < 4; ++k) parts[k] = lane_identity();
  steps = 0;
}

void end_run() {
  const LANE_VALUE run = lane_combine(lane_combine(parts[0], parts[1]), lane_combine(parts[2], parts[3]));
  total = group_combine(total, total_of(run));
  start_run();
}

void end_step() {
  if (++steps == kRunSteps) end_run();
}

LANE_VALUE load_element(int64_t i) {
#if defined(REDUCE_FLOAT)
  return load_float(IN, p.in_, i);
#elif defined(REDUCE_INT)
  return load_long(IN, p.in_, i);
#elif defined(REDUCE_DOUBLE)
  return load_double(p.in_, i);
#else
  return load_complex(p.in_, i);
#endif
}

void store_element(uint dtype, int64_t i, LANE_VALUE value) {
#if defined(REDUCE_FLOAT)
  store_float(dtype, p.out_, i, value);
#elif defined(REDUCE_INT)
  if (dtype == DTYPE_FLOAT32) {
    FloatItem(element_address(p.out_, i, 4)).value = IN == DTYPE_UINT64 ? float(uint64_t(value)) : float(value);
  } else {
    store_long(dtype, p.out_, i, value);
  }
#elif defined(REDUCE_DOUBLE)
  store_double(p.out_, i, value);
#else
  store_complex(p.out_, i, value);
#endif
}

void take_pack(uvec4 words) {
#if defined(REDUCE_FLOAT)
  [[unroll]] for (uint k = 0; k < 4; ++k) {
    if (IN == DTYPE_FLOAT32) {
      take(k, uintBitsToFloat(words[k]));
    } else {
      const vec2 pair = floats_from_word(IN, words[k]);
      take(k, lane_combine(pair.x, pair.y));
    }
  }
#elif defined(REDUCE_INT)
  if (item_size(IN) == 8) {
    take(0, int64_t(packUint2x32(words.xy)));
    take(1, int64_t(packUint2x32(words.zw)));
    return;
  }
  [[unroll]] for (uint k = 0; k < 4; ++k) {
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      if (i >= 4 / item_size(IN)) break;
      const int value = int_from_word(IN, words[k], i);
      take(k, IN == DTYPE_UINT32 ? int64_t(uint(value)) : int64_t(value));
    }
  }
#elif defined(REDUCE_DOUBLE)
  take(0, packDouble2x32(words.xy));
  take(1, packDouble2x32(words.zw));
#else
  take(0, uintBitsToFloat(words.xy));
  take(1, uintBitsToFloat(words.zw));
#endif
}

// Elements that lie side by side from element `first` on.
void fold_packs(int64_t first, Share share) {
  const uint size = item_size(IN);
  const uint64_t step = LANES * PACK;
  uint64_t at = share.begin + share.lane * PACK;
  for (; at + 3 * step + PACK <= share.end; at += 4 * step) {
    uvec4 words[4];
    [[unroll]] for (uint k = 0; k < 4; ++k) {
      words[k] = load_pack(size, VECTOR, element_address(p.in_, first + int64_t(at + k * step), size));
    }
    [[unroll]] for (uint k = 0; k < 4; ++k) take_pack(words[k]);
    end_step();
  }
  for (; at + PACK <= share.end; at += step) {
    take_pack(load_pack(size, VECTOR, element_address(p.in_, first + int64_t(at), size)));
  }
  for (; at < share.end; ++at) take(0, load_element(first + int64_t(at)));
}

void fold_elements(int64_t first, Share share) {
  uint64_t at = share.begin + share.lane;
  for (; at + 3 * LANES < share.end; at += 4 * LANES) {
    LANE_VALUE values[4];
    [[unroll]] for (uint k = 0; k < 4; ++k) values[k] = load_element(first + inner_offset(at + k * LANES));
    [[unroll]] for (uint k = 0; k < 4; ++k) take(k, values[k]);
    end_step();
  }
  for (; at < share.end; at += LANES) take(0, load_element(first + inner_offset(at)));
}

void main() {
  const Share share = reduction_share();
  total = total_of(lane_identity());
  start_run();
  int64_t first, target;
  locate_output(share.index, first, target);
  if (PACK > 1) {
    fold_packs(first, share);
  } else {
    fold_elements(first, share);
  }
  end_run();
  total = group_fold(total, reduction_first_distance(), reduction_end_distance());
  if (share.lane != 0 || share.index >= p.outputs) return;
  store_element(OUT, p.chunks > 1 ? int64_t(share.index * p.chunks + share.chunk) : target, value_of(total));
}
