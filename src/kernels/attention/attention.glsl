// What the kernels of scaled dot-product attention share: parameters, operands, masks, the exponential.
//
//   score[b, h, i, j] = scale * q[b, h, i] . k[b, h / group, j] + mask[b, h, i, j]      -inf where hidden
//   out[b, h, i] = sum over j of softmax over j (score[b, h, i, j]) * v[b, h / group, j]
//
// No kernel forms the matrix of scores: keys are visited in tiles, with the maximum, the total and the weighted sum so
// far of each query row (online softmax: Milakov and Gimelshein, 2018; in tiles: FlashAttention, Dao et al., 2022).
// Rows that see no key are zero. Sums are of REAL: float32, or float64 in the variants FLOAT64.
//
// Arrays that are to stay in registers are indexed in loops that every compiler unrolls: of constant length, without
// barriers, early exits or inner loops of unknown length. One other access anywhere puts the array into memory.

layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;  // of queries, keys, values, output and an added mask
layout(constant_id = 1) const bool WHOLE = false;          // rows of all but masks are whole packets of 16 bytes
layout(constant_id = 2) const uint MASK = 0;

#define MASK_NONE 0
#define MASK_BOOL 1  // true: seen
#define MASK_ADDED 2

#ifdef FLOAT64
#define ELEMENTS_FLOAT64
#endif
#include "elements.glsl"
#include "math.glsl"

#ifdef FLOAT64
#define FETCHED double
const uint PACKET = 1;
const uint ELEMENT_BYTES = 8;
FETCHED fetch_packet(bool whole, uint64_t address, int64_t stride, uint count) {
  return count > 0 ? DoubleItem(address).value : 0.0lf;
}
REAL element(FETCHED packet, uint i) { return packet; }
REAL load_real(uint64_t base, int64_t i) { return load_double(base, i); }
void store_real(uint64_t base, int64_t i, REAL value) { store_double(base, i, value); }
REAL load_state(uint64_t base, int64_t i) { return load_double(base, i); }
void store_state(uint64_t base, int64_t i, REAL value) { store_double(base, i, value); }
#else
#define FETCHED uvec4
const bool SERIAL = true;  // packet.glsl: rows that are not whole packets are rare
#include "matmul/packet.glsl"
REAL element(FETCHED packet, uint i) {
  return FLOATS ? uintBitsToFloat(packet[i % 4]) : widen_pair(packet[i / 2])[i % 2];
}
REAL load_real(uint64_t base, int64_t i) { return load_float(DTYPE, base, i); }
void store_real(uint64_t base, int64_t i, REAL value) { store_float(DTYPE, base, i, value); }
REAL load_state(uint64_t base, int64_t i) { return load_float(DTYPE_FLOAT32, base, i); }
void store_state(uint64_t base, int64_t i, REAL value) { store_float(DTYPE_FLOAT32, base, i, value); }
#endif

struct Sizes {
  uint batch, heads, group;  // query heads, of which `group` share a key/value head
  uint queries, keys;
  uint dim, value_dim;
  uint causal;  // 1: query i sees keys up to keys - queries + i
  float scale;
};

struct Mask {
  uint64_t at;
  int64_t batch, head, query, key;  // strides
};

// Strides count elements, in the order batch, head, row, column.
LARGE_PARAMETERS {
  uint first_group;
  Sizes sizes;
  uint first_query, tiles;  // tiles of queries from first_query on (attention_tiles, attention_matrix)
  uint part, parts;         // keys of a part, and parts (attention_rows, attention_join)
  uint64_t q, k, v, out_;
  uint64_t sums;    // scratch: [line][part][value_dim], a line being a query row of a head
  uint64_t states;  // scratch: [line][part][2], maximum and total
  int64_t q_strides[4], k_strides[4], v_strides[4], out_strides[3];
  Mask mask;
};
PARAMETER_POINTER

// What inner loops need of the parameters, in registers: read from the block it would be read again after each barrier.
Sizes sizes;
Mask mask;

void read_parameters() {
  sizes = p.sizes;
  if (MASK != MASK_NONE) mask = p.mask;
}

#define NO_SCORE REAL(uintBitsToFloat(0xff800000u))  // minus infinity

// Keys that a query sees, from the first on, as far as causality goes.
uint visible_keys(uint query) {
  const int causal_keys = clamp(int(sizes.keys) - int(sizes.queries) + int(query) + 1, 0, int(sizes.keys));
  return sizes.causal == 0 ? sizes.keys : uint(causal_keys);
}

// The score of a product already scaled, after masking. The key is one of the array's.
REAL masked_score(REAL product, uint batch, uint head, uint query, uint key) {
  REAL score = product;
  if (MASK != MASK_NONE) {
    const int64_t at = int64_t(batch) * mask.batch + int64_t(head) * mask.head + int64_t(query) * mask.query +
                       int64_t(key) * mask.key;
    if (MASK == MASK_ADDED) {
      score += load_real(mask.at, at);
    } else if (load_int(DTYPE_BOOL, mask.at, at) == 0) {
      score = NO_SCORE;
    }
  }
  return score;
}

#ifdef FLOAT64
bool is_hidden(REAL score) { return score == NO_SCORE; }
// e^x for x <= 0, to zero where e^x is below the normal range. Keeps NaN.
REAL exp_of_negative(REAL x) {
  if (isnan(x)) return x;
  if (x < -708.0lf) return 0.0lf;
  const double count = roundEven(x * 1.4426950408889634lf);
  const double r = fma(count, -1.9082149292705877e-10lf, fma(count, -0.6931471803691238lf, x));
  double sum = 1.0lf;
  for (int i = 13; i > 0; --i) sum = fma(sum * r, 1.0lf / double(i), 1.0lf);
  return ldexp(sum, int(count));
}
#else
// By its bits: a driver may assume that there are no infinities.
bool is_hidden(REAL score) { return floatBitsToUint(score) == 0xff800000u; }
// e^x for x <= 0, to zero where e^x is below the normal range. Keeps NaN.
REAL exp_of_negative(REAL x) {
  int n;
  const float r = reduce_by_ln2(max(x, -87.0), n);
  const float power = (1.0 + expm1_reduced(r)) * power_of_two(n);
  return is_nan(x) ? x : x < -87.0 ? 0.0 : power;
}
#endif

// A weight relative to a maximum; zero for what is hidden.
REAL weight_of(REAL score, REAL maximum) {
  return is_hidden(score) ? REAL(0.0) : exp_of_negative(score - maximum);
}

// A row of the output: zero where no key was seen.
REAL normalized(REAL sum, REAL total) { return total == REAL(0.0) ? REAL(0.0) : sum / total; }
