// What a decoder-only language model looks like, free of any file format.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plimsoll/text/tokenizer_spec.h"

namespace plimsoll {
class GgufFile;
}

namespace plimsoll::lm {

// How the frequencies of the rotary embedding are stretched for longer contexts.
struct RopeScaling {
  enum class Kind { kNone, kLinear, kLlama3, kYarn };

  Kind kind = Kind::kNone;
  double factor = 1.0;
  double original_context = 0.0;       // tokens the model was first trained on
  double low_frequency_factor = 1.0;   // llama3
  double high_frequency_factor = 4.0;  // llama3
  double beta_fast = 32.0;             // yarn
  double beta_slow = 1.0;              // yarn
  std::optional<double> attention_factor =
      std::nullopt;  // yarn: multiplies cosine and sine; 0.1 ln(factor) + 1 unless given
};

struct AffineQuantization {
  int group_size = 64;
  int bits = 4;
};

// One description for Llama, Qwen2 and Qwen3 (dense): they differ in its values only.
struct Config {
  std::string architecture;  // "llama", "qwen2" or "qwen3"
  std::string source;        // the file that says so, for messages
  int vocabulary = 0;
  int context = 0;  // tokens the model was trained on
  int layers = 0;
  int hidden = 0;
  int intermediate = 0;
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  float rms_epsilon = 1e-5f;
  double rope_base = 10000.0;
  RopeScaling rope_scaling;
  bool rope_traditional = false;  // rotates neighbouring pairs: Llama in GGUF, whose weights are permuted for it
  bool qkv_bias = false;
  bool qk_norm = false;
  bool output_bias = false;  // of the attention's output projection
  // Whether the head is the embedding table; where the file does not say, whether it has a head decides.
  std::optional<bool> tied_embeddings;

  // Of mlx-community folders: what a layer that is quantized has, and layers (by their name in the file) that differ.
  std::optional<AffineQuantization> quantization;
  std::map<std::string, AffineQuantization, std::less<>> quantization_overrides;

  std::optional<text::TokenId> bos;
  std::vector<text::TokenId> eos;
};

// Both check every field that they use; FileError names the file and the field.
Config config_from_gguf(const GgufFile& file);
Config config_from_json_file(const std::string& path);  // config.json, with generation_config.json beside it if any

}  // namespace plimsoll::lm
