#version 460
// Products of integers, float64 and complex numbers: tiles of 32 x 32 outputs, 2 x 2 an invocation, any layout.
//
// Integers are summed in 64 bits, of which the output keeps its low ones: they wrap around. bool is "or" of "and"s.
// Integer factors of integer products are applied exactly; fractional ones in float64, truncated (FACTORS64).
//
//# integer: BATCHED ELEMENT=int64_t
//# integer_scaled: BATCHED ELEMENT=int64_t ELEMENTS_FLOAT64 FACTORS64
//# double: BATCHED ELEMENT=double ELEMENTS_FLOAT64
//# complex: BATCHED ELEMENT=vec2 COMPLEX
#include "common.glsl"
#include "elements.glsl"
layout(constant_id = 0) const uint DTYPE = DTYPE_INT32;
layout(local_size_x = 256) in;
#include "matmul/product.glsl"

#if defined(COMPLEX)
ELEMENT load_value(uint64_t base, int64_t i) { return load_complex(base, i); }
void store_value(int64_t i, ELEMENT value) { store_complex(p.out_, i, value); }
ELEMENT product_of(ELEMENT x, ELEMENT y) { return vec2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }
ELEMENT combined(ELEMENT sum, ELEMENT c) { return p.alpha * sum + p.beta * c; }
#elif defined(ELEMENTS_FLOAT64) && !defined(FACTORS64)
ELEMENT load_value(uint64_t base, int64_t i) { return load_double(base, i); }
void store_value(int64_t i, ELEMENT value) { store_double(p.out_, i, value); }
ELEMENT product_of(ELEMENT x, ELEMENT y) { return x * y; }
ELEMENT combined(ELEMENT sum, ELEMENT c) { return double(p.alpha) * sum + double(p.beta) * c; }
#else
ELEMENT load_value(uint64_t base, int64_t i) { return load_long(DTYPE, base, i); }
void store_value(int64_t i, ELEMENT value) { store_long(DTYPE, p.out_, i, value); }
ELEMENT product_of(ELEMENT x, ELEMENT y) { return x * y; }

// The sum as the output would hold it.
ELEMENT wrapped(ELEMENT sum) {
  const int low = int(sum);
  switch (DTYPE) {
    case DTYPE_BOOL:
      return ELEMENT(sum != 0l);
    case DTYPE_UINT8:
      return ELEMENT(low & 0xff);
    case DTYPE_UINT16:
      return ELEMENT(low & 0xffff);
    case DTYPE_UINT32:
      return ELEMENT(uint(low));
    case DTYPE_INT8:
      return ELEMENT(bitfieldExtract(low, 0, 8));
    case DTYPE_INT16:
      return ELEMENT(bitfieldExtract(low, 0, 16));
    case DTYPE_INT32:
      return ELEMENT(low);
    default:
      return sum;
  }
}
#ifdef FACTORS64
double as_double(ELEMENT value) { return DTYPE == DTYPE_UINT64 ? double(uint64_t(value)) : double(value); }
ELEMENT combined(ELEMENT sum, ELEMENT c) {
  const double value = double(p.alpha) * as_double(wrapped(sum)) + double(p.beta) * as_double(c);
  if (DTYPE == DTYPE_BOOL) return ELEMENT(value != 0.0LF);
  return DTYPE == DTYPE_UINT64 ? ELEMENT(uint64_t(value)) : ELEMENT(value);
}
#else
ELEMENT combined(ELEMENT sum, ELEMENT c) { return ELEMENT(p.alpha) * wrapped(sum) + ELEMENT(p.beta) * c; }
#endif
#endif

const uint SIDE = 32, DEPTH = 16;
shared ELEMENT a_tile[DEPTH][SIDE + 1];
shared ELEMENT b_tile[DEPTH][SIDE + 1];

void load_tiles(Share share, Member member, uint k_first) {
  for (uint i = gl_LocalInvocationIndex; i < SIDE * DEPTH; i += gl_WorkGroupSize.x) {
    const uint k = k_first + i % DEPTH, m = share.tile_m * SIDE + i / DEPTH;
    const int64_t at = member.a + int64_t(m) * p.a_row + int64_t(k) * p.a_column;
    a_tile[i % DEPTH][i / DEPTH] = m < p.M && k < p.K ? load_value(p.a, at) : ELEMENT(0);
  }
  for (uint i = gl_LocalInvocationIndex; i < SIDE * DEPTH; i += gl_WorkGroupSize.x) {
    const uint k = k_first + i / SIDE, n = share.tile_n * SIDE + i % SIDE;
    const int64_t at = member.b + int64_t(k) * p.b_row + int64_t(n) * p.b_column;
    b_tile[i / SIDE][i % SIDE] = n < p.N && k < p.K ? load_value(p.b, at) : ELEMENT(0);
  }
}

void store_value_at(Member member, uint m, uint n, ELEMENT sum) {
  if (m >= p.M || n >= p.N) return;
  if (p.alpha != 1.0 || p.beta != 0.0) {
    const int64_t at = member.c + int64_t(m) * p.c_row + int64_t(n) * p.c_column;
    sum = combined(sum, p.beta == 0.0 ? ELEMENT(0) : load_value(p.c, at));
  }
  store_value(member.out_ + int64_t(m) * p.out_row + int64_t(n) * p.out_column, sum);
}

void main() {
  const Share share = share_of(WORKGROUP, (p.M + SIDE - 1) / SIDE, (p.N + SIDE - 1) / SIDE);
  const Member member = member_at(share.member);
  const uint row = gl_LocalInvocationIndex / 16, column = gl_LocalInvocationIndex % 16;
  ELEMENT sums[2][2] = {{ELEMENT(0), ELEMENT(0)}, {ELEMENT(0), ELEMENT(0)}};
  for (uint k_first = 0; k_first < p.K; k_first += DEPTH) {
    barrier();
    load_tiles(share, member, k_first);
    barrier();
    for (uint k = 0; k < DEPTH; ++k) {
      [[unroll]] for (uint i = 0; i < 2; ++i) {
        [[unroll]] for (uint j = 0; j < 2; ++j) {
          sums[i][j] += product_of(a_tile[k][row + 16 * i], b_tile[k][column + 16 * j]);
        }
      }
    }
  }
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    store_value_at(member, share.tile_m * SIDE + row + 16 * (i / 2), share.tile_n * SIDE + column + 16 * (i % 2),
                   sums[i / 2][i % 2]);
  }
}
