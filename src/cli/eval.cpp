// `plimsoll eval`: how well a model predicts a text.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "plimsoll/lm/perplexity.h"
#include "plimsoll/memory.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/interrupt.h"
#include "cli/model.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/stopwatch.h"

namespace plimsoll::cli {

namespace {

constexpr uint64_t kMaxDataBytes = uint64_t{1} << 30;

struct Options {
  CommonOptions common;
  std::string model;
  std::string data;
  int context = 0;  // 0: the model's, 2048 at most
  int chunk = 256;
};

using Tokens = std::vector<text::TokenId>;

// The "text" of each line of a JSON Lines file.
std::vector<std::string> texts_of_lines(std::string_view content, const std::string& path) {
  std::vector<std::string> texts;
  for (size_t number = 1; !content.empty(); ++number) {
    const std::string_view line = content.substr(0, content.find('\n'));
    content.remove_prefix(std::min(line.size() + 1, content.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto document = base::parse_json(line, fmt::format("{}:{}", path, number));
    texts.emplace_back(document.root().get_string("text"));
  }
  return texts;
}

std::vector<std::string> load_texts(const std::string& path) {
  std::string content = base::read_file(path, kMaxDataBytes);
  if (path.ends_with(".jsonl")) return texts_of_lines(content, path);
  return {std::move(content)};
}

// Texts as tokens, without those too short to predict anything.
std::vector<Tokens> load_documents(const Options& options, const text::Tokenizer& tokenizer) {
  std::vector<Tokens> documents;
  for (const std::string& text : load_texts(options.data)) {
    Tokens tokens = tokenizer.encode(text);
    if (tokens.size() >= 2) documents.push_back(std::move(tokens));
  }
  if (documents.empty()) throw FileError(options.data, "there is no text of at least 2 tokens");
  return documents;
}

// Sums over the documents; each token counts the same.
lm::Perplexity evaluate(const Options& options, const lm::Model& model, const std::vector<Tokens>& documents) {
  size_t total = 0;
  for (const Tokens& document : documents) total += document.size();
  Progress progress("eval", ProgressUnit::kTokens, options.common.quiet);
  lm::PerplexityOptions library{.context = options.context, .chunk = options.chunk, .progress = {}};
  if (library.context == 0) library.context = std::min(2048, std::max(2, model.config().context));
  size_t finished = 0;
  library.progress = [&](size_t done, size_t) {
    progress.show(finished + done, total);
    return !interrupted();
  };
  lm::Perplexity sum;
  for (const Tokens& document : documents) {
    const lm::Perplexity one = lm::perplexity(model, document, library);
    sum.mean_loss += one.mean_loss * static_cast<double>(one.predicted_tokens);
    sum.predicted_tokens += one.predicted_tokens;
    finished += document.size();
    check_interrupt();
  }
  sum.mean_loss /= static_cast<double>(sum.predicted_tokens);
  sum.perplexity = std::exp(sum.mean_loss);
  return sum;
}

int run_eval(const Options& options) {
  apply(options.common);
  const lm::Model model = load_model(options.model, options.common).model;
  const std::vector<Tokens> documents = load_documents(options, model.tokenizer());
  const Stopwatch watch;
  const lm::Perplexity result = evaluate(options, model, documents);
  const double seconds = watch.seconds();
  const double rate = static_cast<double>(result.predicted_tokens) / seconds;
  if (options.common.json) {
    print_json({{"perplexity", result.perplexity},
                {"mean_loss", result.mean_loss},
                {"predicted_tokens", result.predicted_tokens},
                {"documents", documents.size()},
                {"seconds", seconds},
                {"tokens_per_second", rate},
                {"memory", memory_json(memory_stats())},
                {"device", device_name(options.common)},
                {"dtype", name_of(model.dtype())},
                {"model", model.path()}});
    return kDone;
  }
  print(fmt::format("perplexity {:.4f} (mean loss {:.5f}) over {} tokens, activations {}; {:.1f} tokens/s, peak {}\n",
                    result.perplexity, result.mean_loss, result.predicted_tokens, name_of(model.dtype()), rate,
                    base::format_bytes(memory_stats().peak)));
  return kDone;
}

}  // namespace

void add_eval(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("eval", "perplexity of a text: the check of a quantization or a dtype");
  command.footer(
      "A file named *.jsonl holds a text for each line, {\"text\": ...}; any other file is one text.\n\n"
      "Example:\n  plimsoll eval --model smollm2-135m-instruct --data book.txt --dtype float32");
  add_model_option(command, options->model);
  command.add_option("--data", options->data, "the text")->type_name("FILE")->required();
  add_count_option(command, "--context", options->context, 0,
                   "longer texts are cut into windows of so many tokens; 0: the model's context, 2048 at most");
  add_count_option(command, "--chunk", options->chunk, 1, "tokens evaluated at a time");
  add_common_options(command, options->common);
  command.callback([options, &action] { action = [options] { return run_eval(*options); }; });
}

}  // namespace plimsoll::cli
