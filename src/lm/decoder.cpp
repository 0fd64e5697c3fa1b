#include "lm/decoder.h"

#include <cmath>

#include "plimsoll/fast.h"
#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"

namespace plimsoll::lm {

// Takes weights by role and evaluates their conversion at once, so that at most one of them stands in both forms.
class Decoder::Loader {
 public:
  Loader(const Config& config, Checkpoint& checkpoint, Dtype dtype)
      : config_(config), checkpoint_(checkpoint), dtype_(dtype) {}

  nn::Weight matrix(Role role, int layer, int rows, int columns) const {
    nn::Weight weight = checkpoint_.take_matrix(role, layer, rows, columns).with_dtype(dtype_);
    evaluate(weight);
    return weight;
  }

  nn::Linear linear(Role role, int layer, int rows, int columns, bool biased = false) const {
    nn::Weight weight = matrix(role, layer, rows, columns);
    if (!biased) return nn::Linear(std::move(weight));
    return nn::Linear(std::move(weight), converted(checkpoint_.take_bias(role, layer, rows)));
  }

  nn::RMSNorm norm(Role role, int layer, int length) const {
    return {converted(checkpoint_.take_norm(role, layer, length)), config_.rms_epsilon};
  }

  std::optional<nn::RMSNorm> head_norm(Role role, int layer) const {
    if (!config_.qk_norm) return std::nullopt;
    return norm(role, layer, config_.head_dim);
  }

  // An embedding table that is not the head too stays as it is stored: a step takes one row of it.
  nn::Embedding embedding() const {
    if (*config_.tied_embeddings) return {matrix(Role::kEmbedding, 0, config_.vocabulary, config_.hidden), dtype_};
    return {checkpoint_.take_matrix(Role::kEmbedding, 0, config_.vocabulary, config_.hidden), dtype_};
  }

  nn::Weight head(const nn::Embedding& embedding) const {
    if (*config_.tied_embeddings) return embedding.weight();
    return matrix(Role::kHead, 0, config_.vocabulary, config_.hidden);
  }

  Layer layer(int i) const {
    const int hidden = config_.hidden;
    const int query_width = config_.heads * config_.head_dim;
    const int kv_width = config_.kv_heads * config_.head_dim;
    const bool biased = config_.qkv_bias;
    return {.attention_norm = norm(Role::kAttentionNorm, i, hidden),
            .query = linear(Role::kQuery, i, query_width, hidden, biased),
            .key = linear(Role::kKey, i, kv_width, hidden, biased),
            .value = linear(Role::kValue, i, kv_width, hidden, biased),
            .output = linear(Role::kAttentionOutput, i, hidden, query_width, config_.output_bias),
            .query_norm = head_norm(Role::kQueryNorm, i),
            .key_norm = head_norm(Role::kKeyNorm, i),
            .feed_forward_norm = norm(Role::kFeedForwardNorm, i, hidden),
            .gate = linear(Role::kGate, i, config_.intermediate, hidden),
            .up = linear(Role::kUp, i, config_.intermediate, hidden),
            .down = linear(Role::kDown, i, hidden, config_.intermediate)};
  }

  std::vector<Layer> layers() const {
    std::vector<Layer> all;
    all.reserve(static_cast<size_t>(config_.layers));
    for (int i = 0; i < config_.layers; ++i) all.push_back(layer(i));
    return all;
  }

 private:
  array converted(const array& values) const {
    array result = astype(values, dtype_);
    eval(result);
    return result;
  }

  static void evaluate(const nn::Weight& weight) {
    if (const auto* dense = std::get_if<nn::DenseMatrix>(&weight.stored())) eval(std::vector<array>{dense->values});
    if (const auto* affine = std::get_if<nn::AffineMatrix>(&weight.stored())) {
      eval(std::vector<array>{affine->packed, affine->scales, affine->biases});
    }
  }

  const Config& config_;
  Checkpoint& checkpoint_;
  Dtype dtype_;
};

Decoder::Decoder(const Config& config, Checkpoint& checkpoint, Dtype dtype)
    : config_(config),
      rope_(config, checkpoint.take_rope_factors(config.head_dim / 2)),
      embedding_(Loader(config_, checkpoint, dtype).embedding()),
      layers_(Loader(config_, checkpoint, dtype).layers()),
      final_norm_(Loader(config_, checkpoint, dtype).norm(Role::kFinalNorm, 0, config.hidden)),
      head_(Loader(config_, checkpoint, dtype).head(embedding_)) {}

array Decoder::hidden(const array& ids, KvCache& cache) const {
  const array offset(cache.rows(), int32);  // of the first token, for all layers
  array x = embedding_(ids);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    x = add(x, attention(layer, static_cast<int>(i), layer.attention_norm(x), offset, cache));
    const array normed = layer.feed_forward_norm(x);
    x = add(x, layer.down(fast::swiglu(layer.gate(normed), layer.up(normed))));
  }
  cache.advance(ids.shape(1));
  return x;
}

array Decoder::rotated_heads(const array& projected, int heads, const std::optional<nn::RMSNorm>& norm,
                             const array& offset) const {
  const int tokens = projected.shape(1);
  const int dim = config_.head_dim;
  if (tokens == 1) {  // one row: cutting it into heads needs no transposition
    const array cut = reshape(projected, {1, heads, 1, dim});
    return rope_(norm ? (*norm)(cut) : cut, offset);
  }
  const array cut = reshape(projected, {1, tokens, heads, dim});
  return rope_(transpose(norm ? (*norm)(cut) : cut, {0, 2, 1, 3}), offset);
}

array Decoder::attention(const Layer& layer, int index, const array& x, const array& offset, KvCache& cache) const {
  const int tokens = x.shape(1);
  const int query_width = config_.heads * config_.head_dim;
  const int kv_width = config_.kv_heads * config_.head_dim;
  const auto joined = [&](const array& heads, int width) {
    return reshape(tokens == 1 ? heads : transpose(heads, {0, 2, 1, 3}), {1, tokens, width});
  };

  const array queries = rotated_heads(layer.query(x), config_.heads, layer.query_norm, offset);
  const array new_keys = rotated_heads(layer.key(x), config_.kv_heads, layer.key_norm, offset);
  const auto [keys, values] = cache.append(index, joined(new_keys, kv_width), layer.value(x));
  const float scale = rope_.score_factor() / std::sqrt(static_cast<float>(config_.head_dim));
  const array mixed = fast::scaled_dot_product_attention(queries, keys, values, scale, tokens > 1 ? "causal" : "");
  return layer.output(joined(mixed, query_width));
}

array Decoder::logits(const array& hidden) const {
  array x = final_norm_(hidden);
  // A block-quantized head costs the same in either dtype, and half types would make ties of the largest logits.
  if (std::holds_alternative<nn::BlockMatrix>(head_.stored())) x = astype(x, float32);
  return astype(head_.product(x), float32);
}

}  // namespace plimsoll::lm
