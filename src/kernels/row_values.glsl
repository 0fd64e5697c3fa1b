// Elements of a row, PACK neighbours at a time, as REAL: float, or double with ELEMENTS_FLOAT64.
//
// Include after common.glsl and elements.glsl, with the constants DTYPE, PACK (the elements of 16 bytes), and VECTOR:
// whether rows lie side by side from multiples of 16 bytes on.
#ifdef ELEMENTS_FLOAT64
#define REAL double
#define REAL_PACK 2
#define REAL_INFINITY packDouble2x32(uvec2(0u, 0x7ff00000u))
#define REAL_NAN packDouble2x32(uvec2(0u, 0x7ff80000u))
REAL load_real(uint64_t row, int64_t i) { return load_double(row, i); }
void store_real(uint64_t row, int64_t i, REAL value) { store_double(row, i, value); }
#else
#define REAL float
#define REAL_PACK 8
#define REAL_INFINITY FLOAT_INFINITY
#define REAL_NAN FLOAT_NAN
REAL load_real(uint64_t row, int64_t i) { return load_float(DTYPE, row, i); }
void store_real(uint64_t row, int64_t i, REAL value) { store_float(DTYPE, row, i, value); }
#endif

// Elements [at, at + PACK) of a row of `length` whose elements lie `step` apart; `fill` beyond its end.
void load_values(uint64_t row, int64_t step, uint at, uint length, REAL fill, out REAL values[REAL_PACK]) {
  if (VECTOR && at + PACK <= length) {
    const uvec4 words = Vector128(element_address(row, at, item_size(DTYPE))).value;
#ifdef ELEMENTS_FLOAT64
    values[0] = packDouble2x32(words.xy);
    values[1] = packDouble2x32(words.zw);
#else
    [[unroll]] for (uint k = 0; k < 4; ++k) {
      if (DTYPE == DTYPE_FLOAT32) {
        values[k] = uintBitsToFloat(words[k]);
      } else {
        const vec2 pair = floats_from_word(DTYPE, words[k]);
        values[2 * k] = pair.x;
        values[2 * k + 1] = pair.y;
      }
    }
#endif
    return;
  }
  for (uint i = 0; i < PACK; ++i) values[i] = at + i < length ? load_real(row, int64_t(at + i) * step) : fill;
}

// The same elements of a row whose elements lie side by side.
void store_values(uint64_t row, uint at, uint length, REAL values[REAL_PACK]) {
  if (VECTOR && at + PACK <= length) {
    uvec4 words;
#ifdef ELEMENTS_FLOAT64
    words = uvec4(unpackDouble2x32(values[0]), unpackDouble2x32(values[1]));
#else
    [[unroll]] for (uint k = 0; k < 4; ++k) {
      words[k] = DTYPE == DTYPE_FLOAT32 ? floatBitsToUint(values[k])
                                        : word_from_floats(DTYPE, vec2(values[2 * k], values[2 * k + 1]));
    }
#endif
    Vector128(element_address(row, at, item_size(DTYPE))).value = words;
    return;
  }
  for (uint i = 0; i < PACK; ++i) {
    if (at + i < length) store_real(row, at + i, values[i]);
  }
}
