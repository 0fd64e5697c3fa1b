// 16 bytes of neighbouring elements at a time: PACK of them, in the words of a uvec4.
//
// Include after elements.glsl.

#define PACK_OF(dtype) (16 / item_size(dtype))

// The words at an address that an element may have. `whole`: the address is a multiple of 16.
uvec4 load_pack(uint size, bool whole, uint64_t address) {
  if (whole) return Vector128(address).value;
  uvec4 words = uvec4(0);
  [[unroll]] for (uint k = 0; k < 4; ++k) {
    const uint64_t at = address + 4 * k;
    if (size == 1) {
      words[k] = uint(Item8(at).value) | uint(Item8(at + 1).value) << 8 | uint(Item8(at + 2).value) << 16 |
                 uint(Item8(at + 3).value) << 24;
    } else if (size == 2) {
      words[k] = uint(Item16(at).value) | uint(Item16(at + 2).value) << 16;
    } else {
      words[k] = Item32(at).value;
    }
  }
  return words;
}

void store_pack(uint size, bool whole, uint64_t address, uvec4 words) {
  if (whole) {
    Vector128(address).value = words;
    return;
  }
  [[unroll]] for (uint k = 0; k < 4; ++k) {
    const uint64_t at = address + 4 * k;
    if (size == 1) {
      [[unroll]] for (uint i = 0; i < 4; ++i) Item8(at + i).value = uint8_t(words[k] >> (8 * i));
    } else if (size == 2) {
      Item16(at).value = uint16_t(words[k]);
      Item16(at + 2).value = uint16_t(words[k] >> 16);
    } else {
      Item32(at).value = words[k];
    }
  }
}

// Integers of at most 32 bits (uint32 by its bits), the i-th in the word.
int int_from_word(uint dtype, uint word, uint i) {
  switch (dtype) {
    case DTYPE_BOOL:
      return int(bitfieldExtract(word, int(8 * i), 8) != 0u);
    case DTYPE_UINT8:
      return int(bitfieldExtract(word, int(8 * i), 8));
    case DTYPE_INT8:
      return bitfieldExtract(int(word), int(8 * i), 8);
    case DTYPE_UINT16:
      return int(bitfieldExtract(word, int(16 * i), 16));
    case DTYPE_INT16:
      return bitfieldExtract(int(word), int(16 * i), 16);
    default:
      return int(word);
  }
}
