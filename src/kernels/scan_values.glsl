// What a scan combines: Total, of TOTAL_BYTES in memory. combine() is associative up to rounding; identity() changes
// nothing and is what an exclusive scan begins with, so of integers it is the limit of their own dtype.
//
// Include after elements.glsl and math/bits.glsl, with the constants FOLD, IN and OUT.

// What a result beyond the range of floats rounds off is no number.
vec2 with_finite_rest(vec2 pair) { return vec2(pair.x, is_finite(pair.x) && is_finite(pair.y) ? pair.y : 0.0); }

vec2 add_pairs(vec2 a, vec2 b) {
  const vec2 sum = with_finite_rest(two_sum(a.x, b.x));
  precise float low = sum.y + (a.y + b.y);
  return with_finite_rest(two_sum(sum.x, low));
}

vec2 multiply_pairs(vec2 a, vec2 b) {
  const vec2 product = with_finite_rest(two_product(a.x, b.x));
  precise float cross_terms = a.x * b.y + a.y * b.x;
  precise float low = product.y + (is_finite(product.x) ? cross_terms : 0.0);
  return is_zero(low) ? vec2(product.x, 0.0) : with_finite_rest(two_sum(product.x, low));  // -0 stays
}

#if defined(SCAN_FLOAT)

// A value and what it lacks.
#define Total vec2
#define TOTAL_BYTES 8
Total identity() {
  if (FOLD == FOLD_SUM) return vec2(0.0);
  if (FOLD == FOLD_PROD) return vec2(1.0, 0.0);
  return vec2(FOLD == FOLD_MAX ? -FLOAT_INFINITY : FLOAT_INFINITY, 0.0);
}
Total combine(Total a, Total b) {
  if (FOLD == FOLD_SUM) return add_pairs(a, b);
  if (FOLD == FOLD_PROD) return multiply_pairs(a, b);
  return vec2(FOLD == FOLD_MAX ? max_or_nan(a.x, b.x) : min_or_nan(a.x, b.x), 0.0);
}
Total load_element(uint64_t row, int64_t i) { return vec2(load_float(IN, row, i), 0.0); }
void store_element(uint64_t row, int64_t i, Total total) { store_float(OUT, row, i, total.x); }

#elif defined(SCAN_INT)

#define Total int64_t
#define TOTAL_BYTES 8
Total lowest_of(uint dtype) {
  switch (dtype) {
    case DTYPE_INT8:
      return -128;
    case DTYPE_INT16:
      return -32768;
    case DTYPE_INT32:
      return -(int64_t(1) << 31);
    case DTYPE_INT64:
      return int64_t(1) << 63;
    default:
      return 0;
  }
}
Total highest_of(uint dtype) {
  switch (dtype) {
    case DTYPE_BOOL:
      return 1;
    case DTYPE_UINT8:
      return 255;
    case DTYPE_UINT16:
      return 65535;
    case DTYPE_UINT32:
      return (int64_t(1) << 32) - 1;
    case DTYPE_UINT64:
      return -1;
    default:
      return -(lowest_of(dtype) + 1);
  }
}
Total identity() {
  if (FOLD == FOLD_SUM || FOLD == FOLD_PROD) return FOLD;
  return FOLD == FOLD_MAX ? lowest_of(IN) : highest_of(IN);
}
Total combine(Total a, Total b) {
  if (FOLD == FOLD_SUM) return a + b;
  if (FOLD == FOLD_PROD) return a * b;
  const bool less = IN == DTYPE_UINT64 ? uint64_t(a) < uint64_t(b) : a < b;
  return less == (FOLD == FOLD_MAX) ? b : a;
}
Total load_element(uint64_t row, int64_t i) { return load_long(IN, row, i); }
void store_element(uint64_t row, int64_t i, Total total) { store_long(OUT, row, i, total); }

#elif defined(SCAN_DOUBLE)

#define Total double
#define TOTAL_BYTES 8
Total identity() {
  if (FOLD == FOLD_SUM) return 0.0lf;
  if (FOLD == FOLD_PROD) return 1.0lf;
  return FOLD == FOLD_MAX ? -DOUBLE_INFINITY : DOUBLE_INFINITY;
}
Total combine(Total a, Total b) {
  if (FOLD == FOLD_SUM) return a + b;
  if (FOLD == FOLD_PROD) return a * b;
  if (is_nan(a) || is_nan(b)) return is_nan(a) ? a : b;
  return (a < b) == (FOLD == FOLD_MAX) ? b : a;
}
Total load_element(uint64_t row, int64_t i) { return load_double(row, i); }
void store_element(uint64_t row, int64_t i, Total total) { store_double(row, i, total); }

#else

// The real part and what it lacks, then the imaginary one.
#define Total vec4
#define TOTAL_BYTES 16
Total identity() {
  if (FOLD == FOLD_SUM) return vec4(0.0);
  if (FOLD == FOLD_PROD) return vec4(1.0, 0.0, 0.0, 0.0);
  const float limit = FOLD == FOLD_MAX ? -FLOAT_INFINITY : FLOAT_INFINITY;
  return vec4(limit, 0.0, limit, 0.0);
}
vec2 negated(vec2 a) { return -a; }
// Ordered by the real part, then by the imaginary one.
Total extremum(Total a, Total b) {
  if (is_nan(a.x) || is_nan(a.z)) return a;
  if (is_nan(b.x) || is_nan(b.z)) return b;
  const bool less = a.x < b.x || (a.x == b.x && a.z < b.z);
  return less == (FOLD == FOLD_MAX) ? b : a;
}
Total combine(Total a, Total b) {
  if (FOLD == FOLD_SUM) return vec4(add_pairs(a.xy, b.xy), add_pairs(a.zw, b.zw));
  if (FOLD != FOLD_PROD) return extremum(a, b);
  return vec4(add_pairs(multiply_pairs(a.xy, b.xy), negated(multiply_pairs(a.zw, b.zw))),
              add_pairs(multiply_pairs(a.xy, b.zw), multiply_pairs(a.zw, b.xy)));
}
Total load_element(uint64_t row, int64_t i) {
  const vec2 value = load_complex(row, i);
  return vec4(value.x, 0.0, value.y, 0.0);
}
void store_element(uint64_t row, int64_t i, Total total) { store_complex(row, i, total.xz); }

#endif

// Totals in memory.
Total load_total(uint64_t address) {
#if defined(SCAN_INT)
  return int64_t(Item64(address).value);
#elif defined(SCAN_DOUBLE)
  return load_double(address, 0);
#elif defined(SCAN_FLOAT)
  return load_complex(address, 0);
#else
  return vec4(load_complex(address, 0), load_complex(address, 1));
#endif
}
void store_total(uint64_t address, Total total) {
#if defined(SCAN_INT)
  Item64(address).value = uint64_t(total);
#elif defined(SCAN_DOUBLE)
  store_double(address, 0, total);
#elif defined(SCAN_FLOAT)
  store_complex(address, 0, total);
#else
  store_complex(address, 0, total.xy);
  store_complex(address, 1, total.zw);
#endif
}
