// What a scatter makes of an element and an update, as bits (elements.glsl), each result rounded to the dtype. Define
// one of FLOAT (16 and 32 bits), LONG (integers and bool), COMPLEX and DOUBLE. MODE_PUT works on any dtype.
#define MODE_PUT 0
#define MODE_SUM 1
#define MODE_PRODUCT 2
#define MODE_MAXIMUM 3
#define MODE_MINIMUM 4

#if defined(FLOAT) || defined(DOUBLE)
#ifdef FLOAT
#define REAL float
bool is_nan(float value) { return (floatBitsToUint(value) & 0x7fffffffu) > 0x7f800000u; }
#else
#define REAL double
bool is_nan(double value) {
  const uvec2 words = unpackDouble2x32(value);
  return (words.y & 0x7fffffffu) > 0x7ff00000u - uint(words.x != 0u ? 1 : 0);
}
#endif

REAL combine_reals(uint mode, REAL a, REAL b) {
  switch (mode) {
    case MODE_SUM:
      return a + b;
    case MODE_PRODUCT:
      return a * b;
    case MODE_MAXIMUM:
      return is_nan(a) || a > b ? a : b;
    default:
      return is_nan(a) || a < b ? a : b;
  }
}
#endif

#ifdef LONG
int64_t combine_longs(uint dtype, uint mode, int64_t a, int64_t b) {
  const bool more = dtype == DTYPE_UINT64 ? uint64_t(a) > uint64_t(b) : a > b;
  switch (mode) {
    case MODE_SUM:
      return a + b;
    case MODE_PRODUCT:
      return a * b;
    case MODE_MAXIMUM:
      return more ? a : b;
    default:
      return more ? b : a;
  }
}
#endif

#ifdef COMPLEX
// By real part, then by imaginary part; nothing is more than NaN, nor less.
bool is_more(vec2 a, vec2 b) { return a.x != b.x ? a.x > b.x : a.y > b.y; }

vec2 combine_complexes(uint mode, vec2 a, vec2 b) {
  switch (mode) {
    case MODE_SUM:
      return a + b;
    case MODE_PRODUCT: {
      precise vec2 product = vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
      return product;
    }
    case MODE_MAXIMUM:
      return is_more(a, b) ? a : b;
    default:
      return is_more(b, a) ? a : b;
  }
}
#endif

uvec2 combine_bits(uint dtype, uint mode, uvec2 old, uvec2 update) {
  if (mode == MODE_PUT) return update;
#if defined(FLOAT)
  return bits_of_float(dtype, combine_reals(mode, float_of_bits(dtype, old), float_of_bits(dtype, update)));
#elif defined(LONG)
  return bits_of_long(dtype, combine_longs(dtype, mode, long_of_bits(dtype, old), long_of_bits(dtype, update)));
#elif defined(COMPLEX)
  return floatBitsToUint(combine_complexes(mode, uintBitsToFloat(old), uintBitsToFloat(update)));
#else
  return bits_of_double(combine_reals(mode, double_of_bits(old), double_of_bits(update)));
#endif
}
