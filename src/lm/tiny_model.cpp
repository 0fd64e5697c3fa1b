#include "plimsoll/lm/tiny_model.h"

#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "plimsoll/array.h"
#include "plimsoll/io.h"

namespace plimsoll::lm {

namespace {

constexpr uint32_t kLayers = 4;
constexpr int kHidden = 128;
constexpr int kHeads = 4;
constexpr int kKvHeads = 2;
constexpr int kIntermediate = 256;
constexpr uint32_t kContext = 2048;
const std::vector<std::string> kSpecial = {"<unk>", "<s>", "</s>"};
const int kVocabulary = static_cast<int>(kSpecial.size()) + 256;

// GGUF's kinds of tokens.
constexpr int32_t kUnknownToken = 2;
constexpr int32_t kControlToken = 3;
constexpr int32_t kByteToken = 6;

// Nearly normal numbers from integer arithmetic and sums alone, so that every machine draws the same.
class Normal {
 public:
  explicit Normal(uint64_t seed) : state_(seed) {}

  float draw(float scale) {
    double sum = -6.0;  // of twelve uniform numbers: mean 0, variance 1
    for (int i = 0; i < 12; ++i) sum += uniform();
    return static_cast<float>(sum) * scale;
  }

 private:
  double uniform() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

  uint64_t state_;
};

array matrix(Normal& normal, int rows, int columns) {
  const float scale = 1.0f / std::sqrt(static_cast<float>(columns));
  std::vector<float> values(static_cast<size_t>(rows) * static_cast<size_t>(columns));
  for (float& value : values) value = normal.draw(scale);
  return array(values.begin(), {rows, columns}, float32);
}

array norm() {
  const std::vector<float> ones(kHidden, 1.0f);
  return array(ones.begin(), {kHidden}, float32);
}

// Rows of tokens that do not print are zero: their logits stay at zero, below the largest of the others.
array printable_head(Normal& normal) {
  array head = matrix(normal, kVocabulary, kHidden);
  const int first_byte = static_cast<int>(kSpecial.size());
  for (int row = 0; row < kVocabulary; ++row) {
    const int byte = row - first_byte;
    if (byte >= ' ' && byte <= '~') continue;
    std::fill_n(head.data<float>() + static_cast<ptrdiff_t>(row) * kHidden, kHidden, 0.0f);
  }
  return head;
}

std::map<std::string, array> tensors(uint64_t seed) {
  Normal normal(seed);
  constexpr int kKvWidth = kHidden / kHeads * kKvHeads;
  std::map<std::string, array> all;
  all.emplace("token_embd.weight", matrix(normal, kVocabulary, kHidden));
  for (uint32_t layer = 0; layer < kLayers; ++layer) {
    const auto add = [&](const char* name, array values) {
      all.emplace(fmt::format("blk.{}.{}.weight", layer, name), std::move(values));
    };
    add("attn_norm", norm());
    add("attn_q", matrix(normal, kHidden, kHidden));
    add("attn_k", matrix(normal, kKvWidth, kHidden));
    add("attn_v", matrix(normal, kKvWidth, kHidden));
    add("attn_output", matrix(normal, kHidden, kHidden));
    add("ffn_norm", norm());
    add("ffn_gate", matrix(normal, kIntermediate, kHidden));
    add("ffn_up", matrix(normal, kIntermediate, kHidden));
    add("ffn_down", matrix(normal, kHidden, kIntermediate));
  }
  all.emplace("output_norm.weight", norm());
  all.emplace("output.weight", printable_head(normal));
  return all;
}

void add_tokenizer(std::map<std::string, GgufMetadata>& metadata) {
  std::vector<std::string> tokens = kSpecial;
  std::vector<int32_t> kinds{kUnknownToken, kControlToken, kControlToken};
  for (int byte = 0; byte < 256; ++byte) {
    tokens.push_back(fmt::format("<0x{:02X}>", byte));
    kinds.push_back(kByteToken);
  }
  metadata["tokenizer.ggml.model"] = std::string("llama");
  metadata["tokenizer.ggml.scores"] = std::vector<float>(tokens.size(), 0.0f);
  metadata["tokenizer.ggml.tokens"] = std::move(tokens);
  metadata["tokenizer.ggml.token_type"] = std::move(kinds);
  metadata["tokenizer.ggml.unknown_token_id"] = uint32_t{0};
  metadata["tokenizer.ggml.bos_token_id"] = uint32_t{1};
  metadata["tokenizer.ggml.eos_token_id"] = uint32_t{2};
  metadata["tokenizer.ggml.add_bos_token"] = true;
  metadata["tokenizer.ggml.add_space_prefix"] = false;
}

std::map<std::string, GgufMetadata> metadata() {
  std::map<std::string, GgufMetadata> all;
  all["general.architecture"] = std::string("llama");
  all["general.name"] = std::string("tiny random model");
  all["llama.context_length"] = kContext;
  all["llama.embedding_length"] = uint32_t{kHidden};
  all["llama.block_count"] = kLayers;
  all["llama.feed_forward_length"] = uint32_t{kIntermediate};
  all["llama.attention.head_count"] = uint32_t{kHeads};
  all["llama.attention.head_count_kv"] = uint32_t{kKvHeads};
  all["llama.attention.layer_norm_rms_epsilon"] = 1e-5f;
  all["llama.rope.dimension_count"] = uint32_t{kHidden / kHeads};
  all["llama.rope.freq_base"] = 10000.0f;
  all["llama.vocab_size"] = static_cast<uint32_t>(kVocabulary);
  add_tokenizer(all);
  return all;
}

}  // namespace

void make_tiny_model(const std::string& path, uint64_t seed) { save_gguf(path, tensors(seed), metadata()); }

}  // namespace plimsoll::lm
