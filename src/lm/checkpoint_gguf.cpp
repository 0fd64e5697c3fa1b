// Weights under GGUF's names: token_embd.weight, blk.3.attn_q.weight ...
#include <fmt/format.h>

#include "plimsoll/ops/elementwise.h"
#include "plimsoll/transforms.h"
#include "lm/checkpoint.h"

namespace plimsoll::lm {

namespace {

const char* gguf_name(Role role) {
  switch (role) {
    case Role::kEmbedding:
      return "token_embd";
    case Role::kFinalNorm:
      return "output_norm";
    case Role::kHead:
      return "output";
    case Role::kAttentionNorm:
      return "attn_norm";
    case Role::kQuery:
      return "attn_q";
    case Role::kKey:
      return "attn_k";
    case Role::kValue:
      return "attn_v";
    case Role::kAttentionOutput:
      return "attn_output";
    case Role::kQueryNorm:
      return "attn_q_norm";
    case Role::kKeyNorm:
      return "attn_k_norm";
    case Role::kFeedForwardNorm:
      return "ffn_norm";
    case Role::kGate:
      return "ffn_gate";
    case Role::kUp:
      return "ffn_up";
    case Role::kDown:
      return "ffn_down";
  }
  __builtin_unreachable();
}

class GgufCheckpoint final : public Checkpoint {
 public:
  explicit GgufCheckpoint(const GgufFile& file) : Checkpoint(file.path()), file_(file) {}

  std::vector<float> take_rope_factors(int length) override {
    const std::string name = "rope_freqs.weight";
    if (!holds(name)) return {};
    array factors = astype(vector(name), float32);
    if (factors.shape() != Shape{length}) refuse(name, fmt::format("must hold {} elements", length));
    eval(factors);
    const float* values = factors.data<float>();
    for (int i = 0; i < length; ++i) {
      if (!(values[i] > 0)) refuse(name, fmt::format("element {} is {}, not a positive number", i, values[i]));
    }
    return {values, values + length};
  }

 protected:
  std::string stem(Role role, int layer) const override {
    const bool global = role == Role::kEmbedding || role == Role::kFinalNorm || role == Role::kHead;
    return global ? gguf_name(role) : fmt::format("blk.{}.{}", layer, gguf_name(role));
  }

  bool holds(const std::string& name) const override { return file_.tensors().contains(name); }

  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& [name, tensor] : file_.tensors()) all.push_back(name);
    return all;
  }

  bool may_stay(const std::string&) const override { return false; }

  nn::Weight matrix(const std::string& stem) override {
    const std::string name = stem + ".weight";
    const GgufTensor& tensor = computed(name);
    if (tensor.shape.size() != 2) refuse(name, fmt::format("has {} dimensions instead of 2", tensor.shape.size()));
    if (tensor.format) return nn::Weight(nn::BlockMatrix{*tensor.data, *tensor.format});
    if (!issubdtype(tensor.data->dtype(), floating)) refuse(name, "holds no floats: " + tensor.type);
    return nn::Weight(nn::DenseMatrix{*tensor.data});
  }

  array vector(const std::string& name) override {
    const GgufTensor& tensor = computed(name);
    return tensor.format ? block_dequantize(*tensor.data, *tensor.format) : *tensor.data;
  }

 private:
  const GgufTensor& computed(const std::string& name) {
    const auto found = file_.tensors().find(name);
    if (found == file_.tensors().end()) refuse(name, "is missing");
    if (!found->second.data) refuse(name, fmt::format("is of type {}, which is not supported", found->second.type));
    mark_taken(name);
    return found->second;
  }

  const GgufFile& file_;
};

}  // namespace

std::unique_ptr<Checkpoint> open_gguf_checkpoint(const GgufFile& file) {
  return std::make_unique<GgufCheckpoint>(file);
}

}  // namespace plimsoll::lm
