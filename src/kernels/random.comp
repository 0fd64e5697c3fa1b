// Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror and Shaw, 2011), in the order of words that graph/ops/random.h
// states.
#version 460
#include "common.glsl"
#include "elements.glsl"

#define GROUP 256
#define RUN 4  // blocks an invocation

layout(local_size_x = GROUP) in;

PARAMETERS {
  uint first_group;
  uint unused;
  uint64_t key;
  int64_t key_step;  // elements
  uint64_t target;
  uint64_t bytes;
  uint64_t half_words;  // blocks that give two words: the second this far or one further behind the first
  uint64_t second;      // half_words, or one more when the number of words is odd
} p;

uint rotate_left(uint value, uint count) { return (value << count) | (value >> (32u - count)); }

uvec2 mix_block(uvec2 block, uvec4 rotations) {
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    block.x += block.y;
    block.y = rotate_left(block.y, rotations[i]) ^ block.x;
  }
  return block;
}

uvec2 threefry(uvec2 key, uvec2 counter) {
  const uint schedule[3] = {key.x, key.y, key.x ^ key.y ^ 0x1BD11BDAu};
  uvec2 block = counter + key;
  [[unroll]] for (uint group = 0; group < 5; ++group) {
    block = mix_block(block, group % 2 == 0 ? uvec4(13, 15, 26, 6) : uvec4(17, 29, 16, 24));
    block += uvec2(schedule[(group + 1) % 3], schedule[(group + 2) % 3] + group + 1u);
  }
  return block;
}

// Word `index`, or as much of it as there are bytes. The target is aligned to an element of at most 4 bytes.
void store_word(uint64_t index, uint word) {
  const uint64_t address = p.target + 4 * index;
  const uint64_t left = p.bytes - 4 * index;
  if (left >= 4 && (uint(address) & 3u) == 0u) {
    Item32(address).value = word;
    return;
  }
  for (uint i = 0; i < 4 && i < left; ++i) Item8(address + i).value = uint8_t(word >> (8u * i));
}

void main() {
  const uvec2 key = uvec2(Item32(p.key).value, Item32(p.key + uint64_t(4 * p.key_step)).value);
  for (uint k = 0; k < RUN; ++k) {
    const uint64_t index = uint64_t(WORKGROUP) * (GROUP * RUN) + k * GROUP + gl_LocalInvocationID.x;
    if (index >= p.second) return;
    const bool lone = index >= p.half_words;
    const uvec2 block = threefry(key, uvec2(uint(index), lone ? 0u : uint(index + p.second)));
    store_word(index, block.x);
    if (!lone) store_word(index + p.second, block.y);
  }
}
