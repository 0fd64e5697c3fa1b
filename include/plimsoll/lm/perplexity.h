// How well a model predicts a text.
#pragma once

#include <functional>
#include <span>

#include "plimsoll/lm/model.h"

namespace plimsoll::lm {

struct PerplexityOptions {
  int context = 2048;  // a longer text is cut into windows of so many tokens, each a context of its own
  int chunk = 256;     // tokens evaluated at a time
  std::function<bool(size_t, size_t)> progress = {};  // tokens done and in all; false stops with what there is
};

struct Perplexity {
  double mean_loss = 0.0;  // of -log p(token | tokens before), natural logarithm
  double perplexity = 0.0;
  size_t predicted_tokens = 0;  // all but the first of each window
};

// std::invalid_argument for fewer than 2 tokens or a context below 2.
Perplexity perplexity(const Model& model, std::span<const text::TokenId> ids, const PerplexityOptions& options = {});

}  // namespace plimsoll::lm
