// The decoder of Llama, Qwen2 and Qwen3: attention and feed-forward layers around a residual stream.
#pragma once

#include <optional>
#include <vector>

#include "plimsoll/lm/config.h"
#include "plimsoll/lm/kv_cache.h"
#include "plimsoll/nn/layers.h"
#include "lm/checkpoint.h"
#include "lm/rope.h"

namespace plimsoll::lm {

class Decoder {
 public:
  // Takes the weights from the checkpoint and converts those that activations of `dtype` need converted, layer by
  // layer.
  Decoder(const Config& config, Checkpoint& checkpoint, Dtype dtype);

  // ids [1, T] -> the residual stream after the last layer [1, T, hidden]. The cache has room for them, and holds them
  // after.
  array hidden(const array& ids, KvCache& cache) const;

  // The last norm and the head, in float32: [1, T, hidden] -> [1, T, vocabulary].
  array logits(const array& hidden) const;

 private:
  struct Layer {
    nn::RMSNorm attention_norm;
    nn::Linear query;
    nn::Linear key;
    nn::Linear value;
    nn::Linear output;
    std::optional<nn::RMSNorm> query_norm;  // over each head
    std::optional<nn::RMSNorm> key_norm;
    nn::RMSNorm feed_forward_norm;
    nn::Linear gate;
    nn::Linear up;
    nn::Linear down;
  };

  class Loader;

  array attention(const Layer& layer, int index, const array& x, const array& offset, KvCache& cache) const;
  // A projection [1, T, heads * head dim] cut into heads, normalized and rotated: [1, heads, T, head dim].
  array rotated_heads(const array& projected, int heads, const std::optional<nn::RMSNorm>& norm,
                      const array& offset) const;

  Config config_;
  Rope rope_;
  nn::Embedding embedding_;
  std::vector<Layer> layers_;
  nn::RMSNorm final_norm_;
  nn::Weight head_;
};

}  // namespace plimsoll::lm
