#include "lm/token_stream.h"

#include <cmath>
#include <stdexcept>

#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"

namespace plimsoll::lm {

namespace {

class ArgmaxStream final : public TokenStream {
 public:
  ArgmaxStream(const Model& model, KvCache& cache, const array& logits)
      : model_(model), cache_(cache), ready_(start(logits)) {}

  text::TokenId next(bool more) override {
    const Step current = ready_;
    if (more) ready_ = start(model_.forward(current.token, cache_, LogitRows::kLast));
    const auto id = current.token.item<text::TokenId>();
    if (std::isnan(current.largest.item<float>())) throw std::domain_error("[generate] the model's logits hold NaN");
    return id;
  }

 private:
  struct Step {
    array token;    // [1, 1]
    array largest;  // NaN if any logit is
  };

  static Step start(const array& logits) {
    Step step{argmax(logits, -1), max(logits)};
    async_eval(step.token, step.largest);
    return step;
  }

  const Model& model_;
  KvCache& cache_;
  Step ready_;
};

class SampledStream final : public TokenStream {
 public:
  SampledStream(const Model& model, KvCache& cache, const array& logits, Sampler& sampler,
                std::span<const text::TokenId> history)
      : model_(model), cache_(cache), sampler_(sampler), history_(history.begin(), history.end()), logits_(logits) {
    async_eval(logits_);
  }

  text::TokenId next(bool more) override {
    array current = logits_;
    array token({0}, {1, 1}, int32);
    if (more) logits_ = model_.forward(token, cache_, LogitRows::kLast);
    current.eval();
    const text::TokenId id = sampler_.sample({current.data<float>(), current.size()}, history_);
    history_.push_back(id);
    token.data<int32_t>()[0] = id;  // nothing has read it yet: its step is not encoded
    if (more) async_eval(logits_);
    return id;
  }

 private:
  const Model& model_;
  KvCache& cache_;
  Sampler& sampler_;
  std::vector<text::TokenId> history_;
  array logits_;
};

}  // namespace

std::unique_ptr<TokenStream> stream_tokens(const Model& model, KvCache& cache, const array& logits, Sampler& sampler,
                                           std::span<const text::TokenId> history) {
  if (sampler.is_argmax()) return std::make_unique<ArgmaxStream>(model, cache, logits);
  return std::make_unique<SampledStream>(model, cache, logits, sampler, history);
}

}  // namespace plimsoll::lm
