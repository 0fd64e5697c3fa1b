#include "plimsoll/lm/generate.h"

#include <algorithm>
#include <chrono>

#include "plimsoll/text/streaming_decoder.h"
#include "lm/stop_strings.h"
#include "lm/token_stream.h"

namespace plimsoll::lm {

namespace {

class Stopwatch {
 public:
  // Seconds since the last lap or the start.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Collects the tokens of one generation and decides after each whether it goes on.
class Output {
 public:
  Output(const Model& model, const GenerateOptions& options, GenerateResult& result)
      : tokenizer_(model.tokenizer()), options_(options), result_(result), decoder_(tokenizer_), stops_(options.stop) {}

  // Takes a token; true: go on. Otherwise the result's stop reason is set.
  bool push(text::TokenId id) {
    if (options_.stop_at_end && std::ranges::count(tokenizer_.end_ids(), id) > 0) return stop(StopReason::kEnd);
    result_.tokens.push_back(id);
    const bool wanted = show(stops_.push(decoder_.push(id)));
    if (stops_.found()) return stop(StopReason::kStopString);
    if (!wanted) return stop(StopReason::kCaller);
    return true;
  }

  // Shows what was held back.
  void finish() {
    const std::string rest = stops_.push(decoder_.flush()) + stops_.flush();
    if (!rest.empty()) show(rest);
  }

 private:
  bool show(const std::string& text) {
    result_.text += text;
    return !options_.on_text || options_.on_text(text);
  }

  bool stop(StopReason reason) {
    result_.stop_reason = reason;
    return false;
  }

  const text::Tokenizer& tokenizer_;
  const GenerateOptions& options_;
  GenerateResult& result_;
  text::StreamingDecoder decoder_;
  StopStrings stops_;
};

void reserve_rows(KvCache& cache, size_t prompt_tokens, const GenerateOptions& options) {
  const int64_t prompt = cache.rows() + static_cast<int64_t>(prompt_tokens);
  int64_t wanted = prompt + options.max_tokens;
  if (cache.max_rows() > 0) wanted = std::max(prompt, std::min<int64_t>(wanted, cache.max_rows()));
  cache.reserve(static_cast<int>(std::min<int64_t>(wanted, INT32_MAX)), /*exact=*/options.max_tokens > 0);
}

// Whether another token may follow the `produced`-th.
std::optional<StopReason> limit_reached(const GenerateOptions& options, const KvCache& cache, size_t produced) {
  if (options.max_tokens > 0 && produced >= static_cast<size_t>(options.max_tokens)) return StopReason::kLength;
  if (cache.max_rows() > 0 && cache.rows() >= cache.max_rows()) return StopReason::kCacheFull;
  return std::nullopt;
}

void decode(TokenStream& stream, const KvCache& cache, const GenerateOptions& options, Output& output, Stopwatch& watch,
            GenerateResult& result) {
  for (size_t produced = 1;; ++produced) {
    const auto limit = limit_reached(options, cache, produced);
    const text::TokenId id = stream.next(!limit);
    if (produced == 1) result.prefill_seconds = watch.lap();
    if (!output.push(id)) break;
    if (limit) {
      result.stop_reason = *limit;
      break;
    }
  }
  result.decode_seconds = watch.lap();
}

double rate(double count, double seconds) { return seconds > 0 && count > 0 ? count / seconds : 0.0; }

}  // namespace

std::string_view stop_reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::kEnd:
      return "end";
    case StopReason::kStopString:
      return "stop";
    case StopReason::kLength:
      return "length";
    case StopReason::kCacheFull:
      return "cache_full";
    case StopReason::kCaller:
      return "interrupted";
  }
  __builtin_unreachable();
}

double GenerateResult::prefill_tokens_per_second() const {
  return rate(static_cast<double>(prompt_tokens - reused_tokens), prefill_seconds);
}

double GenerateResult::decode_tokens_per_second() const {
  return rate(static_cast<double>(tokens.size()) - 1, decode_seconds);
}

GenerateResult generate(const Model& model, std::span<const text::TokenId> prompt, const GenerateOptions& options) {
  KvCache cache = model.make_cache(options.cache);
  return generate(model, prompt, cache, {}, options);
}

GenerateResult generate(const Model& model, std::span<const text::TokenId> prompt, KvCache& cache,
                        std::span<const text::TokenId> history, const GenerateOptions& options) {
  Stopwatch watch;
  GenerateResult result;
  result.prompt_tokens = prompt.size();
  Sampler sampler(options.sampling);
  const int rows_before = cache.rows();
  reserve_rows(cache, prompt.size(), options);
  const auto logits = model.prefill(prompt, cache, options.prefill);
  if (!logits) {
    result.stop_reason = StopReason::kCaller;
    result.prefill_seconds = watch.lap();
    return result;
  }

  std::vector<text::TokenId> seen(history.begin(), history.end());
  seen.insert(seen.end(), prompt.begin(), prompt.end());
  const auto stream = stream_tokens(model, cache, *logits, sampler, seen);
  Output output(model, options, result);
  decode(*stream, cache, options, output, watch, result);
  output.finish();

  // The step ahead may have fed a token that is no part of the result.
  const size_t whole = static_cast<size_t>(rows_before) + prompt.size() + result.tokens.size();
  if (static_cast<size_t>(cache.rows()) > whole) cache.trim(static_cast<int>(whole));
  return result;
}

}  // namespace plimsoll::lm
