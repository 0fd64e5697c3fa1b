#include "plimsoll/lm/session.h"

#include <algorithm>

namespace plimsoll::lm {

GenerateResult Session::generate(std::span<const text::TokenId> prompt, const GenerateOptions& options) {
  const auto shared = static_cast<size_t>(std::ranges::mismatch(prompt, cached_).in1 - prompt.begin());
  // The last token is processed even if it is known: its logits are what a generation starts from.
  const size_t kept = prompt.empty() ? 0 : std::min(shared, prompt.size() - 1);
  try {
    if (!cache_) cache_.emplace(model_.make_cache(options_));
    cache_->trim(static_cast<int>(kept));
    GenerateResult result = lm::generate(model_, prompt.subspan(kept), *cache_, prompt.first(kept), options);
    result.prompt_tokens = prompt.size();
    result.reused_tokens = kept;
    cached_.assign(prompt.begin(), prompt.end());
    cached_.insert(cached_.end(), result.tokens.begin(), result.tokens.end());
    cached_.resize(static_cast<size_t>(cache_->rows()));
    return result;
  } catch (...) {
    clear();
    throw;
  }
}

void Session::clear() {
  cache_.reset();
  cached_.clear();
}

}  // namespace plimsoll::lm
