// `plimsoll chat`: a conversation, one line of stdin for each turn.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "plimsoll/lm/session.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/generation.h"
#include "cli/interrupt.h"
#include "cli/line_reader.h"
#include "cli/model.h"

namespace plimsoll::cli {

namespace {

struct Options {
  CommonOptions common;
  GenerationOptions generation;
  std::string model;
};

text::ChatTemplate required_template(const GenerationOptions& options, const lm::Model& model) {
  if (auto chat = chat_template(options, model)) return *chat;
  throw std::invalid_argument(fmt::format("[chat] {} has no chat template; choose one with --chat-format NAME: {}",
                                          model.path(), fmt::join(text::chat_template_names(), ", ")));
}

class Conversation {
 public:
  Conversation(const Options& options, const lm::Model& model)
      : chat_(required_template(options.generation, model)),
        library_(library_options(options.generation, options.common, model)),
        session_(model, library_.cache) {
    if (!options.generation.system.empty()) messages_.push_back({"system", options.generation.system});
    library_.on_text = [show = !options.common.json](std::string_view text) {
      if (show) print(text);
      return !interrupted();
    };
  }

  lm::GenerateResult answer(std::string question) {
    messages_.push_back({"user", std::move(question)});
    const auto prompt = session_.model().tokenizer().encode(text::render_chat(chat_, messages_));
    check_length(prompt.size());
    lm::GenerateResult result = session_.generate(prompt, library_);
    messages_.push_back({"assistant", result.text});
    return result;
  }

 private:
  void check_length(size_t tokens) const {
    const int cap = library_.cache.max_rows;
    if (cap == 0 || tokens <= static_cast<size_t>(cap)) return;
    throw std::runtime_error(fmt::format(
        "[chat] the conversation has grown to {} tokens; the context (--kv-cache-tokens) holds {}", tokens, cap));
  }

  text::ChatTemplate chat_;
  lm::GenerateOptions library_;
  lm::Session session_;
  std::vector<text::ChatMessage> messages_;
};

void ask(bool at_terminal) {
  if (at_terminal) std::fputs("> ", stderr);
}

void report(const Options& options, const lm::GenerateResult& result, const lm::Model& model) {
  if (options.common.json) {
    print_json(generation_json(result, model, device_name(options.common)));
    return;
  }
  print("\n");
  if (options.common.verbose) std::fputs(generation_summary(result).c_str(), stderr);
}

int run_chat(const Options& options) {
  apply(options.common);
  const lm::Model model = load_model(options.model, options.common).model;
  Conversation conversation(options, model);
  LineReader lines(STDIN_FILENO);
  const bool at_terminal = isatty(STDIN_FILENO) == 1 && !options.common.quiet;
  for (ask(at_terminal); auto line = lines.next(); ask(at_terminal)) {
    if (line->empty()) continue;
    report(options, conversation.answer(std::move(*line)), model);
    check_interrupt();
  }
  return kDone;
}

}  // namespace

void add_chat(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("chat", "a conversation in the terminal");
  command.footer(
      "Each line of stdin is a turn; the end of the input (Ctrl-D) ends the conversation. --json prints one line for\n"
      "each answer, with the fields of `generate`.\n\n"
      "Example:\n  plimsoll chat --model smollm2-135m-instruct --system \"Answer in one sentence.\"");
  add_model_option(command, options->model);
  add_generation_options(command, options->generation);
  add_common_options(command, options->common);
  command.callback([options, &action] { action = [options] { return run_chat(*options); }; });
}

}  // namespace plimsoll::cli
