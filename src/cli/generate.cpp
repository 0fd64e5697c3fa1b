// `plimsoll generate`: text that continues or answers a prompt.
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/generation.h"
#include "cli/interrupt.h"
#include "cli/model.h"

namespace plimsoll::cli {

namespace {

constexpr uint64_t kMaxPromptBytes = uint64_t{64} << 20;

struct Options {
  CommonOptions common;
  GenerationOptions generation;
  std::string model;
  std::string prompt;
  std::string prompt_file;
  bool raw = false;
};

std::string prompt_text(const Options& options) {
  if (options.prompt_file.empty()) return options.prompt;
  if (options.prompt_file == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  return base::read_file(options.prompt_file, kMaxPromptBytes);
}

std::vector<text::TokenId> encode_prompt(const Options& options, const lm::Model& model) {
  const text::Tokenizer& tokenizer = model.tokenizer();
  const std::string prompt = prompt_text(options);
  if (options.raw) return tokenizer.encode(prompt, {.parse_special = true});
  const auto chat = chat_template(options.generation, model);
  if (!chat) {
    if (!options.generation.system.empty()) {
      throw std::invalid_argument("[--system] the model has no chat template; choose one with --chat-format");
    }
    return tokenizer.encode(prompt);
  }
  std::vector<text::ChatMessage> messages;
  if (!options.generation.system.empty()) messages.push_back({"system", options.generation.system});
  messages.push_back({"user", prompt});
  return tokenizer.encode(text::render_chat(*chat, messages));
}

void check_length(size_t tokens, int cap) {
  if (cap == 0 || tokens <= static_cast<size_t>(cap)) return;
  throw std::length_error(
      fmt::format("[generate] the prompt has {} tokens; the context (--kv-cache-tokens) holds {}", tokens, cap));
}

lm::GenerateOptions streaming(lm::GenerateOptions options, bool show) {
  options.on_text = [show](std::string_view text) {
    if (show) print(text);
    return !interrupted();
  };
  return options;
}

void report(const Options& options, const lm::GenerateResult& result, const lm::Model& model) {
  if (options.common.json) {
    print_json(generation_json(result, model, device_name(options.common)));
    return;
  }
  print("\n");
  if (!options.common.quiet) std::fputs(generation_summary(result).c_str(), stderr);
}

int run_generate(const Options& options) {
  apply(options.common);
  const lm::Model model = load_model(options.model, options.common).model;
  const std::vector<text::TokenId> prompt = encode_prompt(options, model);
  const lm::GenerateOptions library = library_options(options.generation, options.common, model);
  check_length(prompt.size(), library.cache.max_rows);
  const lm::GenerateResult result = lm::generate(model, prompt, streaming(library, !options.common.json));
  report(options, result, model);
  return interrupted() ? kInterrupted : kDone;
}

}  // namespace

void add_generate(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("generate", "text that answers or continues a prompt, as it comes");
  command.footer(
      "A prompt is put into the model's chat template, where it has one; control tokens spelled in it are text. With\n"
      "--raw it is given to the model as it is, and they count.\n\n"
      "Example:\n"
      "  plimsoll generate --model smollm2-135m-instruct --prompt \"Name three seas.\" --max-tokens 64");
  add_model_option(command, options->model);
  CLI::Option* text = command.add_option("--prompt", options->prompt, "the prompt")->type_name("TEXT");
  CLI::Option* file = command.add_option("--prompt-file", options->prompt_file, "a file that holds it; -: stdin");
  file->type_name("FILE")->excludes(text);
  CLI::Option* raw = command.add_flag("--raw", options->raw, "the prompt as it is: no chat template");
  add_generation_options(command, options->generation);
  raw->excludes("--system")->excludes("--chat-format");
  add_common_options(command, options->common);
  command.callback([options, text, file, &action] {
    if (text->count() + file->count() == 0) throw CLI::RequiredError("--prompt or --prompt-file");
    action = [options] { return run_generate(*options); };
  });
}

}  // namespace plimsoll::cli
