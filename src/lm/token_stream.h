// Tokens one after the other, with the model always a step ahead: step n + 1 is under way before token n is handed out.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "plimsoll/array.h"
#include "plimsoll/lm/kv_cache.h"
#include "plimsoll/lm/model.h"
#include "plimsoll/lm/sampling.h"

namespace plimsoll::lm {

class TokenStream {
 public:
  virtual ~TokenStream() = default;

  // The next token. `more`: another one will probably be asked for, so its step is started first.
  virtual text::TokenId next(bool more) = 0;
};

// Continues from the logits [1, 1, vocabulary] of a prompt's last token, which are put on their way. `history`: all
// tokens before. The arguments must outlive the stream.
//
// Argmax is computed in the graph, and the token feeds the next step without ever coming to the host. Other samplers
// run on the host: their filters choose among the whole vocabulary, which costs tens of microseconds there and a sort
// of it as array operations. For them the graph of the next step is built, around a token still to be written, before
// the logits are waited for.
std::unique_ptr<TokenStream> stream_tokens(const Model& model, KvCache& cache, const array& logits, Sampler& sampler,
                                           std::span<const text::TokenId> history);

}  // namespace plimsoll::lm
