// Weights under the names of Hugging Face checkpoints: model.embed_tokens.weight,
// model.layers.3.self_attn.q_proj.weight
// ... Quantized by MLX: .weight holds packed words, .scales and .biases stand beside it.
#include <fmt/format.h>

#include "plimsoll/io.h"
#include "lm/checkpoint.h"

namespace plimsoll::lm {

namespace {

const char* folder_name(Role role) {
  switch (role) {
    case Role::kEmbedding:
      return "model.embed_tokens";
    case Role::kFinalNorm:
      return "model.norm";
    case Role::kHead:
      return "lm_head";
    case Role::kAttentionNorm:
      return "input_layernorm";
    case Role::kQuery:
      return "self_attn.q_proj";
    case Role::kKey:
      return "self_attn.k_proj";
    case Role::kValue:
      return "self_attn.v_proj";
    case Role::kAttentionOutput:
      return "self_attn.o_proj";
    case Role::kQueryNorm:
      return "self_attn.q_norm";
    case Role::kKeyNorm:
      return "self_attn.k_norm";
    case Role::kFeedForwardNorm:
      return "post_attention_layernorm";
    case Role::kGate:
      return "mlp.gate_proj";
    case Role::kUp:
      return "mlp.up_proj";
    case Role::kDown:
      return "mlp.down_proj";
  }
  __builtin_unreachable();
}

class FolderCheckpoint final : public Checkpoint {
 public:
  FolderCheckpoint(const std::string& folder, const Config& config)
      : Checkpoint(folder), config_(config), tensors_(load_safetensors_folder(folder).first) {}

  std::vector<float> take_rope_factors(int) override { return {}; }

 protected:
  std::string stem(Role role, int layer) const override {
    const bool global = role == Role::kEmbedding || role == Role::kFinalNorm || role == Role::kHead;
    return global ? folder_name(role) : fmt::format("model.layers.{}.{}", layer, folder_name(role));
  }

  bool holds(const std::string& name) const override { return tensors_.contains(name); }

  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& [name, values] : tensors_) all.push_back(name);
    return all;
  }

  bool may_stay(const std::string& name) const override {
    return name.ends_with(".rotary_emb.inv_freq") || name.starts_with("lm_head.");
  }

  nn::Weight matrix(const std::string& stem) override {
    const array values = take(stem + ".weight");
    try {
      if (values.dtype() != uint32) return nn::Weight(nn::DenseMatrix{values});
      if (!config_.quantization) refuse(stem + ".weight", "is quantized, but config.json has no field 'quantization'");
      const auto override_of = config_.quantization_overrides.find(stem);
      const AffineQuantization& affine =
          override_of != config_.quantization_overrides.end() ? override_of->second : *config_.quantization;
      return nn::Weight(
          nn::AffineMatrix{values, take(stem + ".scales"), take(stem + ".biases"), affine.group_size, affine.bits});
    } catch (const std::invalid_argument& error) {
      refuse(stem + ".weight", error.what());
    }
  }

  array vector(const std::string& name) override { return take(name); }

 private:
  // Gives the tensor away: its pages may leave memory once the model has converted it.
  array take(const std::string& name) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) refuse(name, "is missing");
    array values = std::move(found->second);
    tensors_.erase(found);
    return values;
  }

  const Config& config_;
  std::unordered_map<std::string, array> tensors_;
};

}  // namespace

std::unique_ptr<Checkpoint> open_folder_checkpoint(const std::string& folder, const Config& config) {
  return std::make_unique<FolderCheckpoint>(folder, config);
}

}  // namespace plimsoll::lm
