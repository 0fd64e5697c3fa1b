// Frequencies of the rotary position embedding under every scaling.
#pragma once

#include <optional>
#include <vector>

#include "plimsoll/array.h"
#include "plimsoll/lm/config.h"

namespace plimsoll::lm {

struct RopeFrequencies {
  std::vector<double> inverse;  // [head_dim / 2]: positions divided by these are the angles in radians
  double attention = 1.0;       // multiplies cosine and sine of queries and keys
};

// Sources: Hugging Face transformers' definitions of linear, llama3 and yarn scaling (Peng et al., arXiv:2309.00071).
RopeFrequencies rope_frequencies(const Config& config);

// Applies the rotation: what all layers of a model share.
class Rope {
 public:
  // `factors` [head_dim / 2], where a file stores them (GGUF's rope_freqs.weight), divide the frequencies.
  Rope(const Config& config, const std::vector<float>& factors);

  // x [..., L, head_dim] at positions offset, offset + 1, ...; `offset` is one integer.
  array operator()(const array& x, const array& offset) const;

  // What the scores of rotated queries and keys are multiplied by.
  float score_factor() const { return score_factor_; }

 private:
  int dims_;
  bool traditional_;
  float base_;
  float score_factor_;
  std::optional<array> inverse_;  // none: the plain frequencies of the base
};

}  // namespace plimsoll::lm
