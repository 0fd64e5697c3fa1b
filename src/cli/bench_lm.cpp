// `plimsoll bench lm`: tokens per second of a prompt and of the tokens behind it.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "plimsoll/device.h"
#include "plimsoll/lm/generate.h"
#include "plimsoll/memory.h"
#include "base/bytes.h"
#include "base/parallel.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/interrupt.h"
#include "cli/measure.h"
#include "cli/model.h"
#include "cli/output.h"

namespace plimsoll::cli {

namespace {

struct Options {
  CommonOptions common;
  std::string model;
  int prompt_tokens = 512;
  int generate_tokens = 128;
  int repeats = 5;
};

struct Rates {
  Spread prefill;  // tokens per second
  Spread decode;   // zeros where nothing is generated
};

// Any tokens that are not control tokens: speed does not depend on which.
std::vector<text::TokenId> make_prompt(const lm::Model& model, int count) {
  const text::Tokenizer& tokenizer = model.tokenizer();
  std::vector<text::TokenId> ordinary;
  for (size_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    if (!tokenizer.is_control(static_cast<text::TokenId>(id))) ordinary.push_back(static_cast<text::TokenId>(id));
  }
  if (ordinary.empty()) throw std::invalid_argument("[bench lm] the model has control tokens only");
  std::vector<text::TokenId> prompt;
  for (size_t i = 0; std::ssize(prompt) < count; ++i) prompt.push_back(ordinary[i * 37 % ordinary.size()]);
  return prompt;
}

lm::GenerateResult measure_once(const Options& options, const lm::Model& model,
                                const std::vector<text::TokenId>& prompt) {
  lm::GenerateOptions library;
  library.max_tokens = options.generate_tokens + 1;  // the first one comes from the prompt
  library.stop_at_end = false;
  library.on_text = [](std::string_view) { return !interrupted(); };
  library.prefill.progress = [](size_t, size_t) { return !interrupted(); };
  lm::GenerateResult result = lm::generate(model, prompt, library);
  check_interrupt();
  return result;
}

Rates measure(const Options& options, const lm::Model& model) {
  const auto prompt = make_prompt(model, options.prompt_tokens);
  std::vector<double> prefill;
  std::vector<double> decode;
  measure_once(options, model, prompt);
  for (int i = 0; i < options.repeats; ++i) {
    const lm::GenerateResult result = measure_once(options, model, prompt);
    prefill.push_back(result.prefill_tokens_per_second());
    decode.push_back(result.decode_tokens_per_second());
  }
  return {spread_of(std::move(prefill)), spread_of(std::move(decode))};
}

std::string instructions() {
  const auto& info = device_info();
  const auto found = info.find("kernel_target");
  return found == info.end() ? "unknown" : std::get<std::string>(found->second);
}

int run_bench_lm(const Options& options) {
  apply(options.common);
  const LoadedModel loaded = load_model(options.model, options.common);
  const Rates rates = measure(options, loaded.model);
  if (options.common.json) {
    print_json({{"prefill_tokens_per_second", rates.prefill.median},
                {"decode_tokens_per_second", rates.decode.median},
                {"prefill", spread_json(rates.prefill)},
                {"decode", spread_json(rates.decode)},
                {"prompt_tokens", options.prompt_tokens},
                {"generate_tokens", options.generate_tokens},
                {"repeats", options.repeats},
                {"load_seconds", loaded.seconds},
                {"threads", base::num_threads()},
                {"instructions", instructions()},
                {"memory", memory_json(memory_stats())},
                {"device", device_name(options.common)},
                {"dtype", name_of(loaded.model.dtype())},
                {"model", loaded.model.path()}});
    return kDone;
  }
  print(fmt::format("{}: activations {}, {} threads, {}, median (least to most) of {}\n", loaded.model.path(),
                    name_of(loaded.model.dtype()), base::num_threads(), instructions(), options.repeats));
  print(fmt::format("prefill {:5} tokens {:10.1f} tokens/s ({:.1f} to {:.1f})\n", options.prompt_tokens,
                    rates.prefill.median, rates.prefill.least, rates.prefill.most));
  print(fmt::format("decode  {:5} tokens {:10.1f} tokens/s ({:.1f} to {:.1f})\n", options.generate_tokens,
                    rates.decode.median, rates.decode.least, rates.decode.most));
  print(fmt::format("memory peak {}\n", base::format_bytes(memory_stats().peak)));
  return kDone;
}

}  // namespace

void add_bench_lm(CLI::App& bench, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *bench.add_subcommand("lm", "tokens per second of prompt processing and of generation");
  command.footer("Example:\n  plimsoll bench lm --model smollm2-135m-instruct --prompt-tokens 512 --threads 2");
  add_model_option(command, options->model);
  add_count_option(command, "--prompt-tokens", options->prompt_tokens, 1, "tokens of the prompt");
  add_count_option(command, "--generate-tokens", options->generate_tokens, 0, "tokens generated behind it");
  add_count_option(command, "--repeats", options->repeats, 1, "measured rounds, after one to warm up");
  add_common_options(command, options->common);
  command.callback([options, &action] { action = [options] { return run_bench_lm(*options); }; });
}

}  // namespace plimsoll::cli
