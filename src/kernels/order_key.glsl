// Unsigned keys whose order is that of elements of any dtype: zeros of either sign are equal, NaN comes after everything
// and equals itself, complex numbers are ordered by the real part, then by the imaginary one.
//
// Include after common.glsl, elements.glsl and math/bits.glsl.

uint key_of_float(float value) {
  if (is_nan(value)) return 0xffffffffu;
  const uint bits = is_zero(value) ? 0u : floatBitsToUint(value);
  return (bits >> 31) != 0u ? ~bits : bits | 0x80000000u;
}

uint64_t key_of_double_bits(uint64_t bits) {
  const uint64_t sign = uint64_t(1) << 63;
  const uint64_t magnitude = bits & ~sign;
  if (magnitude > 0x7ff0000000000000UL) return ~uint64_t(0);
  if (magnitude == 0) return sign;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

uint64_t key_of_complex(vec2 value) {
  if (is_nan(value.x) || is_nan(value.y)) return ~uint64_t(0);
  return packUint2x32(uvec2(key_of_float(value.y), key_of_float(value.x)));
}

// Of dtypes whose keys have 32 bits.
uint short_key(uint dtype, uint64_t base, int64_t i) {
  switch (dtype) {
    case DTYPE_FLOAT16:
    case DTYPE_BFLOAT16:
    case DTYPE_FLOAT32:
      return key_of_float(load_float(dtype, base, i));
    case DTYPE_INT8:
    case DTYPE_INT16:
    case DTYPE_INT32:
      return uint(load_int(dtype, base, i)) ^ 0x80000000u;
    default:
      return uint(load_int(dtype, base, i));
  }
}

// Of any dtype.
uint64_t long_key(uint dtype, uint64_t base, int64_t i) {
  switch (dtype) {
    case DTYPE_FLOAT64:
      return key_of_double_bits(Item64(element_address(base, i, 8)).value);
    case DTYPE_COMPLEX64:
      return key_of_complex(load_complex(base, i));
    case DTYPE_INT64:
      return Item64(element_address(base, i, 8)).value ^ (uint64_t(1) << 63);
    case DTYPE_UINT64:
      return Item64(element_address(base, i, 8)).value;
    default:
      return uint64_t(short_key(dtype, base, i));
  }
}
