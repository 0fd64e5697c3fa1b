#include "plimsoll/lm/perplexity.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "plimsoll/nn/losses.h"
#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"

namespace plimsoll::lm {

namespace {

array ids_row(std::span<const text::TokenId> ids) {
  return array(ids.begin(), {1, static_cast<ShapeElem>(ids.size())}, int32);
}

// Sum of the losses of window[first + 1 .. first + count], which follow what the cache holds.
double chunk_loss(const Model& model, std::span<const text::TokenId> window, size_t first, size_t count,
                  KvCache& cache) {
  const array logits = model.forward(ids_row(window.subspan(first, count)), cache, LogitRows::kAll);
  array losses = nn::cross_entropy(logits, ids_row(window.subspan(first + 1, count)));
  losses.eval();
  double sum = 0.0;
  for (size_t i = 0; i < losses.size(); ++i) sum += losses.data<float>()[i];
  return sum;
}

}  // namespace

Perplexity perplexity(const Model& model, std::span<const text::TokenId> ids, const PerplexityOptions& options) {
  if (ids.size() < 2) throw std::invalid_argument("[perplexity] a text of fewer than 2 tokens predicts nothing");
  if (options.context < 2 || options.chunk < 1)
    throw std::invalid_argument("[perplexity] context or chunk is too small");
  const auto context = static_cast<size_t>(options.context);
  Perplexity result;
  double sum = 0.0;
  bool wanted = true;
  for (size_t begin = 0; wanted && begin + 1 < ids.size(); begin += context) {
    const auto window = ids.subspan(begin, std::min(context, ids.size() - begin));
    KvCache cache = model.make_cache({.reserve_rows = static_cast<int>(window.size())});
    for (size_t first = 0; wanted && first + 1 < window.size();) {
      const size_t count = std::min(static_cast<size_t>(options.chunk), window.size() - 1 - first);
      sum += chunk_loss(model, window, first, count, cache);
      first += count;
      result.predicted_tokens += count;
      wanted = !options.progress || options.progress(begin + first + 1, ids.size());
    }
  }
  result.mean_loss = sum / static_cast<double>(result.predicted_tokens);
  result.perplexity = std::exp(result.mean_loss);
  return result;
}

}  // namespace plimsoll::lm
