// Loading and storing elements by dtype, and the 16-bit floats' conversions.
//
// Addresses are 64-bit; `base` is that of element 0 and `i` counts elements. A `dtype` that is a specialization constant
// (or a literal) leaves one case of each switch. Pointer types promise no more than an element's own alignment; the
// vec4 functions want 4 elements aligned to their whole size.
//
//   float types      load_float, store_float, load_float4, store_float4      as float32
//   integers, bool   load_int, store_int                                     to 32 bits: uint32 keeps its bits
//                    load_long, store_long                                   any: sign- or zero-extended to 64
//   complex64        load_complex, store_complex                             as vec2
//   float64          load_double, store_double                               with #define ELEMENTS_FLOAT64 before
//   any, raw         copy_element(size, from, i, to, j)                      bits untouched
//                    load_bits, store_bits                                   as uvec2: the low and the high word
//
// float_of_bits, long_of_bits ... take an element's bits for its value; bits_of_float ... make them.
//
// Include after common.glsl.

layout(buffer_reference, std430, buffer_reference_align = 1) buffer Item8 { uint8_t value; };
layout(buffer_reference, std430, buffer_reference_align = 1) buffer SignedItem8 { int8_t value; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Item16 { uint16_t value; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer SignedItem16 { int16_t value; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Item32 { uint value; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer FloatItem { float value; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Item64 { uint64_t value; };
// Aligned to their whole size.
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Vector64 { uvec2 value; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Vector128 { uvec4 value; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer FloatVector { vec4 value; };
#ifdef ELEMENTS_FLOAT64
layout(buffer_reference, std430, buffer_reference_align = 8) buffer DoubleItem { double value; };
#endif

// Bytes an element.
uint item_size(uint dtype) {
  switch (dtype) {
    case DTYPE_BOOL:
    case DTYPE_UINT8:
    case DTYPE_INT8:
      return 1;
    case DTYPE_UINT16:
    case DTYPE_INT16:
    case DTYPE_FLOAT16:
    case DTYPE_BFLOAT16:
      return 2;
    case DTYPE_UINT32:
    case DTYPE_INT32:
    case DTYPE_FLOAT32:
      return 4;
    default:
      return 8;
  }
}

uint64_t element_address(uint64_t base, int64_t i, uint size) { return base + uint64_t(i * int64_t(size)); }

// Set by the driver where packHalf2x16 and unpackHalf2x16 are exact (hal/kernel.h: kExactHalvesConstant): elsewhere the
// code below does in integers what they leave open.
layout(constant_id = 100) const bool EXACT_HALVES = false;

// float16 bits as float32: exact. A subnormal is the difference of two normal numbers.
float float_from_half(uint bits) {
  if (EXACT_HALVES) return unpackHalf2x16(bits).x;
  const uint magnitude = (bits & 0x7fffu) << 13;
  precise float subnormal = uintBitsToFloat(magnitude + 0x38800000u) - uintBitsToFloat(0x38800000u);
  const uint large = magnitude + (magnitude < 0x0f800000u ? 0x38000000u : 0x70000000u);
  const uint value = magnitude < 0x00800000u ? floatBitsToUint(subnormal) : large;
  return uintBitsToFloat(value | ((bits & 0x8000u) << 16));
}

// Rounds to nearest even; NaN stays NaN. Adding 0.5 aligns the mantissa to the subnormal grid; what is too large rounds
// up to infinity, or beyond.
uint half_from_float(float value) {
  if (EXACT_HALVES) return packHalf2x16(vec2(value, 0.0));
  const uint bits = floatBitsToUint(value);
  const uint magnitude = bits & 0x7fffffffu;
  const uint normal = min((magnitude + 0xc8000fffu + bitfieldExtract(magnitude, 13, 1)) >> 13, 0x7c00u);
  precise float aligned = uintBitsToFloat(magnitude) + 0.5f;
  uint half_bits = magnitude < 0x38800000u ? floatBitsToUint(aligned) - 0x3f000000u : normal;
  half_bits = magnitude > 0x7f800000u ? 0x7e00u : half_bits;
  return half_bits | ((bits >> 16) & 0x8000u);
}

float float_from_bfloat(uint bits) { return uintBitsToFloat(bits << 16); }

// Rounds to nearest even; NaN stays NaN.
uint bfloat_from_float(float value) {
  const uint bits = floatBitsToUint(value);
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return nan ? (bits >> 16) | 0x40u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

// 16-bit floats by dtype, one in the low half of a word.
float float_from_bits16(uint dtype, uint bits) {
  return dtype == DTYPE_FLOAT16 ? float_from_half(bits) : float_from_bfloat(bits);
}
uint bits16_from_float(uint dtype, float value) {
  return dtype == DTYPE_FLOAT16 ? half_from_float(value) : bfloat_from_float(value);
}
// Two in one word, the first in the low half.
vec2 floats_from_word(uint dtype, uint word) {
  if (EXACT_HALVES && dtype == DTYPE_FLOAT16) return unpackHalf2x16(word);
  return vec2(float_from_bits16(dtype, word & 0xffffu), float_from_bits16(dtype, word >> 16));
}
uint word_from_floats(uint dtype, vec2 values) {
  if (EXACT_HALVES && dtype == DTYPE_FLOAT16) return packHalf2x16(values);
  return bits16_from_float(dtype, values.x) | (bits16_from_float(dtype, values.y) << 16);
}

// The value of an element of the float types, given its bits.
float float_of_bits(uint dtype, uvec2 bits) {
  return dtype == DTYPE_FLOAT32 ? uintBitsToFloat(bits.x) : float_from_bits16(dtype, bits.x);
}
uvec2 bits_of_float(uint dtype, float value) {
  return uvec2(dtype == DTYPE_FLOAT32 ? floatBitsToUint(value) : bits16_from_float(dtype, value), 0);
}

// Integers and bool: sign- or zero-extended.
int64_t long_of_bits(uint dtype, uvec2 bits) {
  switch (dtype) {
    case DTYPE_BOOL:
      return int64_t(bits.x != 0u ? 1 : 0);
    case DTYPE_INT8:
      return int64_t(bitfieldExtract(int(bits.x), 0, 8));
    case DTYPE_INT16:
      return int64_t(bitfieldExtract(int(bits.x), 0, 16));
    case DTYPE_INT32:
      return int64_t(int(bits.x));
    case DTYPE_INT64:
    case DTYPE_UINT64:
      return int64_t(packUint2x32(bits));
    default:
      return int64_t(bits.x);
  }
}
// The low bits of the value; bool: whether it is not 0.
uvec2 bits_of_long(uint dtype, int64_t value) {
  if (dtype == DTYPE_BOOL) return uvec2(value != 0 ? 1 : 0, 0);
  const uvec2 bits = unpackUint2x32(uint64_t(value));
  const uint size = item_size(dtype);
  return size == 8 ? bits : uvec2(size == 4 ? bits.x : bitfieldExtract(bits.x, 0, int(size) * 8), 0);
}

uvec2 load_bits(uint size, uint64_t base, int64_t i) {
  const uint64_t address = element_address(base, i, size);
  switch (size) {
    case 1:
      return uvec2(Item8(address).value, 0);
    case 2:
      return uvec2(Item16(address).value, 0);
    case 4:
      return uvec2(Item32(address).value, 0);
    default:  // of a float's alignment only: complex64
      return uvec2(Item32(address).value, Item32(address + 4).value);
  }
}

void store_bits(uint size, uint64_t base, int64_t i, uvec2 bits) {
  const uint64_t address = element_address(base, i, size);
  switch (size) {
    case 1:
      Item8(address).value = uint8_t(bits.x);
      break;
    case 2:
      Item16(address).value = uint16_t(bits.x);
      break;
    case 4:
      Item32(address).value = bits.x;
      break;
    default:
      Item32(address).value = bits.x;
      Item32(address + 4).value = bits.y;
  }
}

float load_float(uint dtype, uint64_t base, int64_t i) {
  if (dtype == DTYPE_FLOAT32) return FloatItem(element_address(base, i, 4)).value;
  return float_from_bits16(dtype, uint(Item16(element_address(base, i, 2)).value));
}

void store_float(uint dtype, uint64_t base, int64_t i, float value) {
  if (dtype == DTYPE_FLOAT32) {
    FloatItem(element_address(base, i, 4)).value = value;
  } else {
    Item16(element_address(base, i, 2)).value = uint16_t(bits16_from_float(dtype, value));
  }
}

// Elements [0, 4) at an address aligned to 4 of them.
vec4 load_float4(uint dtype, uint64_t address) {
  if (dtype == DTYPE_FLOAT32) return FloatVector(address).value;
  const uvec2 words = Vector64(address).value;
  return vec4(floats_from_word(dtype, words.x), floats_from_word(dtype, words.y));
}

void store_float4(uint dtype, uint64_t address, vec4 values) {
  if (dtype == DTYPE_FLOAT32) {
    FloatVector(address).value = values;
  } else {
    Vector64(address).value = uvec2(word_from_floats(dtype, values.xy), word_from_floats(dtype, values.zw));
  }
}

// Integers of at most 32 bits, and bool as 0 or 1.
int load_int(uint dtype, uint64_t base, int64_t i) {
  switch (dtype) {
    case DTYPE_BOOL:
      return uint(Item8(element_address(base, i, 1)).value) != 0u ? 1 : 0;
    case DTYPE_UINT8:
      return int(Item8(element_address(base, i, 1)).value);
    case DTYPE_INT8:
      return int(SignedItem8(element_address(base, i, 1)).value);
    case DTYPE_UINT16:
      return int(Item16(element_address(base, i, 2)).value);
    case DTYPE_INT16:
      return int(SignedItem16(element_address(base, i, 2)).value);
    default:
      return int(Item32(element_address(base, i, 4)).value);
  }
}

// The low bits of the value; bool: whether it is not 0.
void store_int(uint dtype, uint64_t base, int64_t i, int value) {
  switch (item_size(dtype)) {
    case 1:
      Item8(element_address(base, i, 1)).value = uint8_t(uint(dtype == DTYPE_BOOL ? int(value != 0) : value));
      break;
    case 2:
      Item16(element_address(base, i, 2)).value = uint16_t(uint(value));
      break;
    default:
      Item32(element_address(base, i, 4)).value = uint(value);
  }
}

// Any integer; uint32 and narrower unsigned ones zero-extended, uint64 by its bits.
int64_t load_long(uint dtype, uint64_t base, int64_t i) {
  if (dtype == DTYPE_INT64 || dtype == DTYPE_UINT64) return int64_t(Item64(element_address(base, i, 8)).value);
  const int value = load_int(dtype, base, i);
  return dtype == DTYPE_UINT32 ? int64_t(uint(value)) : int64_t(value);
}

void store_long(uint dtype, uint64_t base, int64_t i, int64_t value) {
  if (dtype == DTYPE_INT64 || dtype == DTYPE_UINT64) {
    Item64(element_address(base, i, 8)).value = uint64_t(value);
  } else {
    store_int(dtype, base, i, dtype == DTYPE_BOOL ? int(value != 0) : int(value));
  }
}

// A complex number has a float's alignment.
vec2 load_complex(uint64_t base, int64_t i) {
  const uint64_t address = element_address(base, i, 8);
  return vec2(FloatItem(address).value, FloatItem(address + 4).value);
}

void store_complex(uint64_t base, int64_t i, vec2 value) {
  const uint64_t address = element_address(base, i, 8);
  FloatItem(address).value = value.x;
  FloatItem(address + 4).value = value.y;
}

#ifdef ELEMENTS_FLOAT64
double double_of_bits(uvec2 bits) { return packDouble2x32(bits); }
uvec2 bits_of_double(double value) { return unpackDouble2x32(value); }
double load_double(uint64_t base, int64_t i) { return DoubleItem(element_address(base, i, 8)).value; }
void store_double(uint64_t base, int64_t i, double value) { DoubleItem(element_address(base, i, 8)).value = value; }
#endif

// to[j] = from[i], of 1, 2, 4 or 8 bytes.
void copy_element(uint size, uint64_t from, int64_t i, uint64_t to, int64_t j) {
  store_bits(size, to, j, load_bits(size, from, i));
}
