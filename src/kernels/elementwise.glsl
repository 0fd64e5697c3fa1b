// The frame of element-by-element kernels: output[i] = apply(inputs[i]). gpu/elementwise.h launches them.
//
//   //# dense: DENSE
//   //# strided: STRIDED
//   #include "common.glsl"
//   #include "elements.glsl"
//   #define INPUTS 2
//   #include "elementwise.glsl"
//   uvec2 apply(uvec2 inputs[INPUTS]) { ... }   // bits to bits; switches over KIND, IN_DTYPE and OUT_DTYPE
//   void main() { elementwise(); }
//
// The dense variant walks an output whose elements lie side by side, in vectors of VECTOR elements, all operands' being
// aligned to themselves; inputs may be broadcast along rows of p.width elements. The strided one goes anywhere.
//
// `apply` has one call, so that its code, which may be long, is there once.
layout(constant_id = 0) const uint KIND = 0;
layout(constant_id = 1) const uint IN_DTYPE = DTYPE_FLOAT32;  // of the last input
layout(constant_id = 2) const uint OUT_DTYPE = DTYPE_FLOAT32;

#ifndef INPUT_SIZE
#define INPUT_SIZE(k) item_size(IN_DTYPE)
#endif

uvec2 apply(uvec2 inputs[INPUTS]);

#ifdef STRIDED

layout(constant_id = 3) const bool WIDE = true;
#define STRIDED_OPERANDS (INPUTS + 1)
#include "strided.glsl"

void elementwise() {
  for (uint r = 0; r < STRIDED_RUN; ++r) {
    const uint64_t index = strided_index(r);
    if (index >= p.count) return;
    int64_t at[STRIDED_OPERANDS];
    strided_locate(index, at);
    uvec2 inputs[INPUTS];
    [[unroll]] for (uint k = 0; k < INPUTS; ++k) inputs[k] = load_bits(INPUT_SIZE(k), p.operands[k], at[k]);
    store_bits(item_size(OUT_DTYPE), p.operands[INPUTS], at[INPUTS], apply(inputs));
  }
}

#else

layout(constant_id = 3) const bool WIDE = true;  // indices of more than 31 bits
layout(constant_id = 4) const uint VECTOR = 1;   // 1, 4 or 8 elements; at most 32 bytes an operand
// How each input lies under the output's rows.
#define EACH 0    // an element for each of the output's
#define SCALAR 1  // one element
#define ROW 2     // one row for all rows
#define COLUMN 3  // one element a row
layout(constant_id = 5) const uint MODE_0 = EACH;
layout(constant_id = 6) const uint MODE_1 = EACH;
layout(constant_id = 7) const uint MODE_2 = EACH;
#define VECTOR_MOST 8
#define WORDS_MOST 8
#define GROUP 256

layout(local_size_x = GROUP) in;
PARAMETERS {
  uint first_group;
  uint width;  // of a row; a multiple of VECTOR
  uint64_t count;
  uint64_t inputs[INPUTS];
  uint64_t output_;
} p;

uint mode_of(uint k) { return k == 0 ? MODE_0 : k == 1 ? MODE_1 : MODE_2; }

// The index of the first element of input k that the output's elements from `index` on take.
uint64_t input_index(uint k, uint64_t index) {
  switch (mode_of(k)) {
    case EACH:
      return index;
    case ROW:
      return WIDE ? index % p.width : uint64_t(uint(index) % p.width);
    case COLUMN:
      return WIDE ? index / p.width : uint64_t(uint(index) / p.width);
    default:
      return 0;
  }
}

// Words of a vector of elements.
void load_words(uint size, uint64_t address, out uint words[WORDS_MOST]) {
  if (size * VECTOR == 4) {
    words[0] = Item32(address).value;
  } else if (size * VECTOR == 8) {
    const uvec2 w = Vector64(address).value;
    words[0] = w.x, words[1] = w.y;
  } else {
    const uvec4 w = Vector128(address).value;
    words[0] = w.x, words[1] = w.y, words[2] = w.z, words[3] = w.w;
    if (size * VECTOR > 16) {
      const uvec4 v = Vector128(address + 16).value;
      words[4] = v.x, words[5] = v.y, words[6] = v.z, words[7] = v.w;
    }
  }
}

void store_words(uint size, uint64_t address, uint words[WORDS_MOST]) {
  if (size * VECTOR == 4) {
    Item32(address).value = words[0];
  } else if (size * VECTOR == 8) {
    Vector64(address).value = uvec2(words[0], words[1]);
  } else {
    Vector128(address).value = uvec4(words[0], words[1], words[2], words[3]);
    if (size * VECTOR > 16) Vector128(address + 16).value = uvec4(words[4], words[5], words[6], words[7]);
  }
}

uvec2 bits_in_words(uint size, uint words[WORDS_MOST], uint i) {
  if (size == 8) return uvec2(words[2 * i & 7], words[(2 * i + 1) & 7]);
  if (size == 4) return uvec2(words[i], 0);
  const uint bit = 8 * size * i;
  return uvec2(bitfieldExtract(words[bit >> 5], int(bit & 31), int(8 * size)), 0);
}

void put_in_words(uint size, inout uint words[WORDS_MOST], uint i, uvec2 bits) {
  if (size == 8) {
    words[2 * i & 7] = bits.x, words[(2 * i + 1) & 7] = bits.y;
  } else if (size == 4) {
    words[i] = bits.x;
  } else {
    const uint bit = 8 * size * i;
    words[bit >> 5] |= bits.x << (bit & 31);
  }
}

// Whether input k has one element for all of a vector.
bool is_splat(uint k) { return mode_of(k) == SCALAR || mode_of(k) == COLUMN; }

// Invocations beyond the whole vectors take one of the remaining elements each, as if it were the first of a vector.
void elementwise() {
  const uint64_t invocation = uint64_t(WORKGROUP) * GROUP + gl_LocalInvocationID.x;
  const uint64_t vectors = VECTOR > 1 ? p.count / VECTOR : uint64_t(0);
  const bool whole = VECTOR > 1 && invocation < vectors;
  const uint64_t element = whole ? invocation * VECTOR : invocation - vectors + vectors * VECTOR;
  if (element >= p.count) return;
  uint words[INPUTS][WORDS_MOST];
  [[unroll]] for (uint k = 0; k < INPUTS; ++k) {
    const uint64_t address = p.inputs[k] + input_index(k, element) * INPUT_SIZE(k);
    if (whole && !is_splat(k)) {
      load_words(INPUT_SIZE(k), address, words[k]);
    } else {
      const uvec2 bits = load_bits(INPUT_SIZE(k), address, 0);
      words[k][0] = bits.x, words[k][1] = bits.y;
    }
  }
  const uint out_size = item_size(OUT_DTYPE);
  uint results[WORDS_MOST] = uint[](0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  [[unroll]] for (uint i = 0; i < VECTOR; ++i) {
    uvec2 inputs[INPUTS];
    [[unroll]] for (uint k = 0; k < INPUTS; ++k) {
      inputs[k] = is_splat(k) ? uvec2(words[k][0], words[k][1]) : bits_in_words(INPUT_SIZE(k), words[k], i);
    }
    put_in_words(out_size, results, i, apply(inputs));
  }
  const uint64_t address = p.output_ + element * out_size;
  if (whole) {
    store_words(out_size, address, results);
  } else {
    store_bits(out_size, address, 0, bits_in_words(out_size, results, 0));
  }
}

#endif
