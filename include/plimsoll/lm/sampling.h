// Choosing the next token from the logits. Runs on the host, so that a seed gives the same tokens on every device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plimsoll/text/tokenizer_spec.h"

namespace plimsoll::lm {

// Applied in this order. Each filter sees the distribution at temperature 1 of what the one before left over; at least
// one candidate always remains. Candidates are ordered by logit, ties by lower id.
struct SamplingOptions {
  double repetition_penalty = 1.0;  // a positive logit of a token seen before is divided by it, another multiplied
  int top_k = 0;                    // 0: off
  double top_p = 1.0;               // the shortest prefix whose mass reaches it; 1: off; 0 keeps the top token
  double min_p = 0.0;               // keeps what is at least so likely, relative to the top token; 0: off
  double temperature = 0.0;         // below 1e-6: the first candidate
  std::optional<uint64_t> seed = std::nullopt;  // without: a different one each time
};

struct Candidate {
  text::TokenId id;
  double logit;        // after the repetition penalty
  double probability;  // at the temperature, among the survivors
};

// The survivors of all filters in order; only the first at temperature 0. `history`: the tokens seen before.
// std::invalid_argument for options out of range, std::domain_error for logits with NaN or without any candidate.
std::vector<Candidate> candidates(std::span<const float> logits, std::span<const text::TokenId> history,
                                  const SamplingOptions& options);

class Sampler {
 public:
  // std::invalid_argument for options out of range.
  explicit Sampler(const SamplingOptions& options);

  // Whether the choice is the plain argmax of the logits.
  bool is_argmax() const;

  text::TokenId sample(std::span<const float> logits, std::span<const text::TokenId> history);

 private:
  double uniform();  // in [0, 1)

  SamplingOptions options_;
  uint64_t state_;
  std::vector<Candidate> scratch_;
};

}  // namespace plimsoll::lm
