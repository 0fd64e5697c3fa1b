// Quantized weights, 32 values at a time.
//
// A parcel is what an invocation takes from a row of weights: two runs of 16 neighbouring values, each run with a scale
// d and an offset m: value = d * q + m, q a small integer. In most formats the runs follow each other; in the formats
// of 256-value blocks the second lies 32 or 64 values on, because their bytes hold one value of each run. A row is a
// whole number of parcels, and every value lies in one of them.
//
// Integers become floats without a conversion: their bits are set into the mantissa of 2^23, at the place where they
// lie, and 2^23 is subtracted. So the four of a quad come out multiplied by quad_weights(), all exact.
//
// Wants these in scope, specialization constants but for the last:
//   FORMAT          2, 3, 4, 5, 6 or 8: bits of the affine form; or one of FORMAT_...
//   SCALE_DTYPE     affine: of scales and biases
//   PARCELS         how many an invocation holds at a time
//   W_ALIGNMENT     of the bytes that a parcel is read by: 16, 8, 4, or less
//   p               with uint64_t w, scales, biases; int64_t w_row (bytes), scale_row, bias_row (elements);
//                   uint group_shift: affine, 1 << group_shift parcels share a scale
// Include after elements.glsl.

// gpu/families/quantized_weights.cpp: format_code.
#define FORMAT_Q4_0 16
#define FORMAT_Q4_1 17
#define FORMAT_Q5_0 18
#define FORMAT_Q5_1 19
#define FORMAT_Q8_0 20
#define FORMAT_Q4_K 21
#define FORMAT_Q5_K 22
#define FORMAT_Q6_K 23

const bool AFFINE = FORMAT < FORMAT_Q4_0;
const bool WIDE_BLOCKS = FORMAT >= FORMAT_Q4_K;
const bool IS_Q5_32 = FORMAT == FORMAT_Q5_0 || FORMAT == FORMAT_Q5_1;
const bool IS_Q45_K = FORMAT == FORMAT_Q4_K || FORMAT == FORMAT_Q5_K;

const uint PARCEL = 32;
const uint RUN = 16;
const uint SECOND_RUN = !WIDE_BLOCKS ? 16 : FORMAT == FORMAT_Q6_K ? 64 : 32;  // its first value, from the first run's

// Bits of a value, and the values' distance in a quad's window.
const uint BLOCK_BITS =
    FORMAT == FORMAT_Q8_0 ? 8 : FORMAT == FORMAT_Q6_K ? 6 : IS_Q5_32 || FORMAT == FORMAT_Q5_K ? 5 : 4;
const uint BITS = AFFINE ? FORMAT : BLOCK_BITS;
const uint SPACING = AFFINE ? BITS : 8;
const uint PAIR = 2 * SPACING;
const bool FOUR_FIT = AFFINE && BITS < 6;  // a quad fits the mantissa, else two of it do
// What q is counted from.
const uint ZERO = FORMAT == FORMAT_Q4_0   ? 8
                  : FORMAT == FORMAT_Q5_0 ? 16
                  : FORMAT == FORMAT_Q6_K ? 32
                  : FORMAT == FORMAT_Q8_0 ? 128
                                          : 0;
const bool HAS_OFFSET = ZERO == 0;
// Where the words of low bits start, and those of high bits.
const uint LOW_WORDS = FORMAT == FORMAT_Q4_1 || FORMAT == FORMAT_Q5_0 ? 1 : FORMAT == FORMAT_Q5_1 ? 2 : IS_Q45_K ? 4 : 0;
const uint HIGH_WORDS = FORMAT == FORMAT_Q5_1 ? 1 : FORMAT == FORMAT_Q5_K ? 8 : FORMAT == FORMAT_Q6_K ? 4 : 0;

const uint BLOCK_WORDS = FORMAT == FORMAT_Q5_K ? 12 : WIDE_BLOCKS || FORMAT == FORMAT_Q8_0 ? 8 : LOW_WORDS + 4;
const uint WORDS = AFFINE ? BITS : BLOCK_WORDS;

// The parcels that this invocation holds, each in its slot. Plain arrays, so that all of it lies in registers.
uint parcel_words[PARCELS * WORDS];
vec2 parcel_d[PARCELS];           // of the two runs
vec2 parcel_m[PARCELS];           // HAS_OFFSET only
uint parcel_high_shift[PARCELS];  // Q5_K, Q6_K: of the first run's high bits

uint word_of(uint slot, uint i) { return parcel_words[slot * WORDS + i]; }

uint block_bytes() {
  switch (FORMAT) {
    case FORMAT_Q4_0:
      return 18;
    case FORMAT_Q4_1:
      return 20;
    case FORMAT_Q5_0:
      return 22;
    case FORMAT_Q5_1:
      return 24;
    case FORMAT_Q8_0:
      return 34;
    case FORMAT_Q4_K:
      return 144;
    case FORMAT_Q5_K:
      return 176;
    case FORMAT_Q6_K:
      return 210;
    default:
      return 4 * BITS;
  }
}

// Where in its row a parcel's first run starts.
uint parcel_start(uint parcel) {
  if (!WIDE_BLOCKS) return parcel * PARCEL;
  const uint block = parcel / 8, part = parcel % 8;
  if (FORMAT == FORMAT_Q6_K) return block * 256 + part / 4 * 128 + part % 4 * 16;
  return block * 256 + part / 2 * 64 + part % 2 * 16;
}
// Where in its row value i of a parcel lies.
uint parcel_position(uint parcel, uint i) { return parcel_start(parcel) + i % RUN + i / RUN * SECOND_RUN; }

// float16 bits in the low half of a word. unpackHalf2x16 is exact on the devices of the project, subnormals included
// (the family's tests ask).
float widen_half(uint bits) { return unpackHalf2x16(bits).x; }

float half_at(uint64_t address) {
  if (W_ALIGNMENT >= 2) return widen_half(uint(Item16(address).value));
  return widen_half(uint(Item8(address).value) | (uint(Item8(address + 1).value) << 8));
}

float scale_at(uint64_t scales, uint i) {
  if (SCALE_DTYPE == DTYPE_FLOAT32) return FloatItem(scales + uint64_t(i) * 4).value;
  const uint bits = uint(Item16(scales + uint64_t(i) * 2).value);
  return SCALE_DTYPE == DTYPE_FLOAT16 ? widen_half(bits) : float_from_bfloat(bits);
}

// Words from any address on: whole words are read, and only those that hold a byte wanted.
void fetch_unaligned(uint slot, uint first, uint count, uint64_t address) {
  const uint skew = uint(address) & 3u;
  const uint64_t base = address - skew;
  uint word = Item32(base).value;
  [[unroll]] for (uint i = 0; i < count; ++i) {
    uint next = 0;
    if (i + 1 < count || skew != 0) next = Item32(base + 4 * (i + 1)).value;
    parcel_words[slot * WORDS + first + i] = uint(((uint64_t(next) << 32) | word) >> (8 * skew));
    word = next;
  }
}

// words[first .. first + count) from the bytes at an address aligned to W_ALIGNMENT.
void fetch_words(uint slot, uint first, uint count, uint64_t address) {
  if (W_ALIGNMENT >= 16 && count % 4 == 0) {
    [[unroll]] for (uint i = 0; i < count; i += 4) {
      const uvec4 words = Vector128(address + 4 * i).value;
      [[unroll]] for (uint j = 0; j < 4; ++j) parcel_words[slot * WORDS + first + i + j] = words[j];
    }
  } else if (W_ALIGNMENT >= 8 && count % 2 == 0) {
    [[unroll]] for (uint i = 0; i < count; i += 2) {
      const uvec2 words = Vector64(address + 4 * i).value;
      parcel_words[slot * WORDS + first + i] = words.x;
      parcel_words[slot * WORDS + first + i + 1] = words.y;
    }
  } else if (W_ALIGNMENT >= 4) {
    [[unroll]] for (uint i = 0; i < count; ++i) parcel_words[slot * WORDS + first + i] = Item32(address + 4 * i).value;
  } else {
    fetch_unaligned(slot, first, count, address);
  }
}

// Where a row of weights starts; scales and biases of the affine form only.
struct WeightRow {
  uint64_t bytes, scales, biases;
};
WeightRow weight_row(uint64_t row) {
  const int64_t n = int64_t(row), scale_bytes = SCALE_DTYPE == DTYPE_FLOAT32 ? 4 : 2;
  return WeightRow(p.w + uint64_t(n * p.w_row), p.scales + uint64_t(n * p.scale_row * scale_bytes),
                   p.biases + uint64_t(n * p.bias_row * scale_bytes));
}

// Affine: a scale and a bias for 1 << group_shift parcels, in arrays of their own.
void fetch_affine(uint slot, WeightRow row, uint at) {
  fetch_words(slot, 0, BITS, row.bytes + uint64_t(at) * block_bytes());
  const uint group = at >> p.group_shift;
  parcel_d[slot] = vec2(scale_at(row.scales, group));
  parcel_m[slot] = vec2(scale_at(row.biases, group));
}

// Blocks of 32: d, then m or nothing, then the fifth bits if there are any, then the rest.
void fetch_block_of_32(uint slot, uint64_t block) {
  if (HAS_OFFSET) {
    fetch_words(slot, 0, IS_Q5_32 ? 6 : 5, block);
    const vec2 scales = unpackHalf2x16(word_of(slot, 0));
    parcel_d[slot] = vec2(scales.x);
    parcel_m[slot] = vec2(scales.y);
  } else {
    fetch_words(slot, 0, FORMAT == FORMAT_Q8_0 ? 8 : IS_Q5_32 ? 5 : 4, block + 2);
    parcel_d[slot] = vec2(half_at(block));
  }
}

// 6-bit scale (x) and minimum (y) of sub-block `at` of Q4_K and Q5_K, whose header is words 0 to 3: the first four of
// each lie in the low bits of words 1 and 2; the others have low halves in word 3 and high bits above the first ones.
vec2 sub_block_scales(uint slot, uint at) {
  const uint shift = 8 * (at & 3u);
  const uint scale = word_of(slot, 1) >> shift, minimum = word_of(slot, 2) >> shift, both = word_of(slot, 3) >> shift;
  if (at < 4) return vec2(scale & 63u, minimum & 63u);
  return vec2((both & 15u) | ((scale >> 2) & 0x30u), ((both >> 4) & 15u) | ((minimum >> 2) & 0x30u));
}

// Q4_K, Q5_K: eight sub-blocks of 32, two of which share bytes.
void fetch_sub_blocks(uint slot, uint64_t block, uint part) {
  const uint pair = part / 2;
  fetch_words(slot, 0, 4, block);
  fetch_words(slot, LOW_WORDS, 4, block + (FORMAT == FORMAT_Q5_K ? 48 : 16) + 16 * part);
  if (FORMAT == FORMAT_Q5_K) fetch_words(slot, HIGH_WORDS, 4, block + 16 + 16 * (part % 2));
  parcel_high_shift[slot] = 2 * pair;
  const vec2 scales = unpackHalf2x16(word_of(slot, 0));
  const vec2 first = sub_block_scales(slot, 2 * pair), second = sub_block_scales(slot, 2 * pair + 1);
  parcel_d[slot] = scales.x * vec2(first.x, second.x);
  parcel_m[slot] = -scales.y * vec2(first.y, second.y);
}

// Q6_K: two halves of 64 bytes of low nibbles, 32 of high bit pairs and 8 scales of 16 values each.
void fetch_q6_k(uint slot, uint64_t block, uint part) {
  const uint half_block = part / 4, quarter = part % 4;
  fetch_words(slot, 0, 4, block + 16 * part);
  fetch_words(slot, HIGH_WORDS, 4, block + 128 + 32 * half_block + 16 * (quarter % 2));
  parcel_high_shift[slot] = quarter & 2u;
  const uint64_t scales = block + 192 + 8 * half_block + quarter;
  parcel_d[slot] = half_at(block + 208) * vec2(int(SignedItem8(scales).value), int(SignedItem8(scales + 4).value));
}

// Fetches parcel number `at` of a row.
void fetch_parcel(uint slot, WeightRow row, uint at) {
  if (AFFINE) {
    fetch_affine(slot, row, at);
  } else if (!WIDE_BLOCKS) {
    fetch_block_of_32(slot, row.bytes + uint64_t(at) * block_bytes());
  } else if (FORMAT == FORMAT_Q6_K) {
    fetch_q6_k(slot, row.bytes + uint64_t(at / 8) * block_bytes(), at % 8);
  } else {
    fetch_sub_blocks(slot, row.bytes + uint64_t(at / 8) * block_bytes(), at % 8);
  }
}

// Makes a parcel of zeros.
void clear_parcel(uint slot) {
  [[unroll]] for (uint i = 0; i < WORDS; ++i) parcel_words[slot * WORDS + i] = 0;
  parcel_d[slot] = parcel_m[slot] = vec2(0);
  parcel_high_shift[slot] = 0;
}

// The bits of values 4 * i to 4 * i + 3, SPACING apart.
uint stream_window(uint slot, uint i) {
  const uint bit = 4 * BITS * i, word = bit / 32, shift = bit % 32;
  uint window = word_of(slot, word) >> shift;
  if (shift + 4 * BITS > 32) window |= word_of(slot, word + 1) << (32 - shift);
  return window;
}
uint byte_window(uint slot, uint i) {
  if (FORMAT == FORMAT_Q8_0) return word_of(slot, i) ^ 0x80808080u;  // from signed to counted from 128
  const uint run = i / 4;
  const uint low = word_of(slot, LOW_WORDS + i % 4) >> (4 * run);
  if (BITS == 4) return low;
  uint high;
  if (IS_Q5_32) {
    const uint bits = (word_of(slot, HIGH_WORDS) >> (4 * i)) & 15u;
    high = (bits * 0x00204081u) & 0x01010101u;  // a bit for each byte
  } else if (FORMAT == FORMAT_Q5_K) {
    high = (word_of(slot, HIGH_WORDS + i % 4) >> (parcel_high_shift[slot] + run)) & 0x01010101u;
  } else {
    high = (word_of(slot, HIGH_WORDS + i % 4) >> (parcel_high_shift[slot] + 4 * run)) & 0x03030303u;
  }
  return (low & 0x0f0f0f0fu) | (high << 4);
}

// What the four integers of quad() are multiplied by: powers of two.
vec4 quad_weights() {
  return vec4(1u, 1u << SPACING, FOUR_FIT ? 1u << PAIR : 1u, 1u << (FOUR_FIT ? 3 * SPACING : SPACING));
}
vec4 inverse_quad_weights() {
  // Powers of two have exact inverses: by their exponents.
  return uintBitsToFloat(0x7f000000u - floatBitsToUint(quad_weights()));
}

// Integers 4 * i to 4 * i + 3 of a parcel, times quad_weights().
vec4 quad(uint slot, uint i) {
  const uint window = AFFINE ? stream_window(slot, i) : byte_window(slot, i);
  const uint mask = (1u << BITS) - 1u, rest = FOUR_FIT ? window : window >> PAIR;
  const uvec4 masks = uvec4(mask) << uvec4(0, SPACING, FOUR_FIT ? PAIR : 0, FOUR_FIT ? 3 * SPACING : SPACING);
  precise vec4 values = uintBitsToFloat((uvec4(window, window, rest, rest) & masks) | 0x4b000000u);
  values -= 8388608.0 + float(ZERO) * quad_weights();
  return values;
}

// Values 4 * i to 4 * i + 3 of a parcel.
vec4 widened_quad(uint slot, uint i) {
  const vec4 integers = quad(slot, i) * inverse_quad_weights();
  const uint run = i / 4;
  // A product alone keeps the sign of zero.
  return HAS_OFFSET ? integers * parcel_d[slot][run] + parcel_m[slot][run] : integers * parcel_d[slot][run];
}
