#include "cli/generation.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "plimsoll/memory.h"
#include "base/bytes.h"
#include "base/log.h"
#include "cli/interrupt.h"

namespace plimsoll::cli {

namespace {

void add_sampling_options(CLI::App& command, lm::SamplingOptions& sampling) {
  command.add_option("--temperature", sampling.temperature, "0 takes the most likely token, always")
      ->type_name("T")
      ->capture_default_str();
  command.add_option("--top-k", sampling.top_k, "samples from the K most likely tokens; 0: from all")
      ->type_name("K")
      ->capture_default_str();
  command.add_option("--top-p", sampling.top_p, "samples from the likeliest tokens that reach this mass together")
      ->type_name("P")
      ->capture_default_str();
  command.add_option("--min-p", sampling.min_p, "samples from tokens at least so likely, relative to the likeliest")
      ->type_name("P")
      ->capture_default_str();
  command
      .add_option("--repetition-penalty", sampling.repetition_penalty, "above 1: tokens seen before are less likely")
      ->type_name("X")
      ->capture_default_str();
}

std::string chat_formats() { return fmt::format("{}", fmt::join(text::chat_template_names(), ", ")); }

}  // namespace

void add_generation_options(CLI::App& command, GenerationOptions& options) {
  add_count_option(command, "--max-tokens", options.max_tokens, 0, "0: until the model ends or the cache is full");
  add_sampling_options(command, options.sampling);
  command.add_option("--stop", options.stop, "ends the text before this string; may be given several times")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  add_count_option(command, "--kv-cache-tokens", options.kv_cache_tokens, 0,
                   "the most tokens of prompt and answer together; 0: the model's context");
  command.add_option("--system", options.system, "the system message")->type_name("TEXT");
  command.add_option("--chat-format", options.chat_format, "instead of the model's chat template: " + chat_formats())
      ->type_name("NAME");
  command
      .add_option_function<std::string>(
          "--adapter",
          [](const std::string&) { throw CLI::ValidationError("--adapter", "this build does not have adapters"); },
          "a LoRA adapter (not in this build)")
      ->type_name("DIR");
}

lm::GenerateOptions library_options(const GenerationOptions& options, const CommonOptions& common,
                                    const lm::Model& model) {
  if (std::ranges::count(options.stop, "") > 0) throw std::invalid_argument("[--stop] the empty text is everywhere");
  lm::GenerateOptions result;
  result.max_tokens = options.max_tokens;
  result.sampling = options.sampling;
  result.sampling.seed = common.seed;
  result.stop = options.stop;
  result.cache.max_rows = token_cap(options, model);
  result.prefill.progress = [](size_t, size_t) { return !interrupted(); };
  return result;
}

int token_cap(const GenerationOptions& options, const lm::Model& model) {
  const int context = model.config().context;
  if (options.kv_cache_tokens == 0) return context;
  if (context > 0 && options.kv_cache_tokens > context) {
    base::log_warning(fmt::format("--kv-cache-tokens {} is beyond the {} tokens that the model was trained on",
                                  options.kv_cache_tokens, context));
  }
  return options.kv_cache_tokens;
}

std::optional<text::ChatTemplate> chat_template(const GenerationOptions& options, const lm::Model& model) {
  if (!options.chat_format.empty()) return text::chat_template_by_name(options.chat_format);
  if (!model.chat_template()) return std::nullopt;
  return text::chat_template_from_text(*model.chat_template(), model.path());
}

Json generation_json(const lm::GenerateResult& result, const lm::Model& model, const std::string& device) {
  return {
      {"text", result.text},
      {"tokens", result.tokens},
      {"prompt_tokens", result.prompt_tokens},
      {"reused_tokens", result.reused_tokens},
      {"generated_tokens", result.tokens.size()},
      {"stop_reason", lm::stop_reason_name(result.stop_reason)},
      {"prefill_seconds", result.prefill_seconds},
      {"decode_seconds", result.decode_seconds},
      {"prefill_tokens_per_second", result.prefill_tokens_per_second()},
      {"decode_tokens_per_second", result.decode_tokens_per_second()},
      {"memory", memory_json(memory_stats())},
      {"device", device},
      {"dtype", name_of(model.dtype())},
      {"model", model.path()},
  };
}

std::string generation_summary(const lm::GenerateResult& result) {
  const MemoryStats stats = memory_stats();
  const std::string limit = stats.limit == SIZE_MAX ? "no limit" : "limit " + base::format_bytes(stats.limit);
  return fmt::format("prompt {} tokens, {:.1f} tokens/s; generated {} tokens, {:.1f} tokens/s; memory peak {}, {}\n",
                     result.prompt_tokens - result.reused_tokens, result.prefill_tokens_per_second(),
                     result.tokens.size(), result.decode_tokens_per_second(), base::format_bytes(stats.peak), limit);
}

}  // namespace plimsoll::cli
