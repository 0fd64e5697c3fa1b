// Threefry-2x32 with 20 rounds: the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers:
// As Easy as 1, 2, 3" (2011).
#pragma once

#include <bit>
#include <cstdint>

namespace plimsoll {

struct Threefry {
  uint32_t key0;
  uint32_t key1;

  struct Block {
    uint32_t x0;
    uint32_t x1;
  };

  constexpr Block operator()(uint32_t counter0, uint32_t counter1) const {
    constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    const uint32_t schedule[3] = {key0, key1, key0 ^ key1 ^ 0x1BD11BDAu};
    Block block{counter0 + key0, counter1 + key1};
    for (uint32_t group = 0; group < 5; ++group) {
      for (const int rotation : kRotations[group % 2]) {
        block.x0 += block.x1;
        block.x1 = std::rotl(block.x1, rotation) ^ block.x0;
      }
      block.x0 += schedule[(group + 1) % 3];
      block.x1 += schedule[(group + 2) % 3] + group + 1;
    }
    return block;
  }
};

}  // namespace plimsoll
