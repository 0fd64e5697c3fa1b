// Random bits.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

// input: a key, uint32 [2]. The output's bytes are a sequence of 32-bit words, the last one perhaps cut. With `half`
// the number of words over 2, rounded down, the generator at counters (i, i + ceil(words / 2)) gives words i and i +
// ceil(words / 2); the middle one of an odd number is the first half of the block at (half, 0). (MLX's layout.)
class RandomBits : public Primitive {
 public:
  using Primitive::Primitive;
  const char* name() const override { return "RandomBits"; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive&) const override { return true; }
};

}  // namespace plimsoll
