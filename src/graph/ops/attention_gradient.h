// The gradients of scaled dot-product attention by the direct formula, in blocks of queries.
#pragma once

#include <vector>

#include "plimsoll/array.h"
#include "plimsoll/device.h"

namespace plimsoll::fast {

class AttentionGradient {
 public:
  // primals as ScaledDotProductAttention takes them.
  AttentionGradient(const std::vector<array>& primals, const array& cotangent, float scale, bool causal, Stream stream);

  // The gradient of primal 0 (queries), 1 (keys), 2 (values) or 3 (an additive mask), in its shape and dtype.
  array of(int argnum) const;

 private:
  // Queries [first, last) against the keys that any of them sees. All in float32 (float64 for float64), with the heads
  // of a group as an axis: [B, Hkv, G, rows, ...].
  struct Block {
    int first, last, keys;
  };

  std::vector<Block> blocks() const;
  array queries_of(const Block& block) const;  // scaled
  array keys_of(const Block& block) const;     // [B, Hkv, 1, keys, D]
  array values_of(const Block& block) const;
  array cotangent_of(const Block& block) const;
  array weights_of(const Block& block) const;         // softmax of the scores
  array score_gradient_of(const Block& block) const;  // of the scores before the mask
  array hide(const Block& block, array scores) const;
  array mask_of(const Block& block) const;

  array block_gradient(const Block& block, int argnum) const;
  array sum_over_keys(int argnum) const;
  array grouped(const array& a, const Block& block) const;

  std::vector<array> primals_;
  array cotangent_;
  float scale_;
  bool causal_;
  Stream stream_;
  Dtype wide_;
  int group_;
};

}  // namespace plimsoll::fast
