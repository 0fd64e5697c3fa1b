#include "text/pre_tokenizer.h"

#include <utility>

#include "text/patterns.h"
#include "text/split.h"

namespace plimsoll::text {

namespace {

void push_stretches(Piece piece, std::span<const Stretch> stretches, PreTokenizerScratch& scratch) {
  for (const Stretch& stretch : stretches) {
    if (stretch.begin == stretch.end) continue;
    scratch.next.push_back(
        {piece.text.substr(stretch.begin, stretch.end - stretch.begin), piece.at_start && stretch.begin == 0});
  }
}

Piece rewritten(std::string text, bool at_start, PreTokenizerScratch& scratch) {
  return {scratch.rewritten.emplace_back(std::move(text)), at_start};
}

void apply_split(const SplitStep& step, const std::optional<Regex>& regex, Piece piece, PreTokenizerScratch& scratch) {
  auto stretches =
      regex ? stretches_of_regex(piece.text, *regex, scratch.regex) : stretches_of_literal(piece.text, step.pattern);
  if (step.invert) {
    for (Stretch& stretch : stretches) stretch.matches = !stretch.matches;
  }
  push_stretches(piece, joined(stretches, step.behavior), scratch);
}

void apply_digits(const DigitsStep& step, Piece piece, PreTokenizerScratch& scratch) {
  const auto behavior = step.individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous;
  push_stretches(piece, joined(stretches_of_digits(piece.text), behavior), scratch);
}

void apply_byte_level(const ByteLevelStep& step, const std::optional<Regex>& regex, Piece piece,
                      PreTokenizerScratch& scratch) {
  if (step.add_prefix_space && !piece.text.starts_with(' ')) {
    piece = rewritten(" " + std::string(piece.text), piece.at_start, scratch);
  }
  if (regex) {
    push_stretches(piece, stretches_of_regex(piece.text, *regex, scratch.regex), scratch);
  } else {
    scratch.next.push_back(piece);
  }
}

void apply_metaspace(const MetaspaceStep& step, Piece piece, PreTokenizerScratch& scratch) {
  std::string text;
  for (const char c : piece.text) {
    if (c == ' ') {
      text += step.replacement;
    } else {
      text += c;
    }
  }
  const bool wanted =
      step.prepend == PrependScheme::kAlways || (step.prepend == PrependScheme::kFirst && piece.at_start);
  if (wanted && !text.starts_with(step.replacement)) text.insert(0, step.replacement);
  piece = rewritten(std::move(text), piece.at_start, scratch);
  if (step.split) {
    const auto stretches = stretches_of_literal(piece.text, step.replacement);
    push_stretches(piece, joined(stretches, SplitBehavior::kMergedWithNext), scratch);
  } else {
    scratch.next.push_back(piece);
  }
}

}  // namespace

PreTokenizer::PreTokenizer(std::span<const PreTokenizerStep> steps) {
  for (const PreTokenizerStep& step : steps) steps_.push_back(compile(step));
}

PreTokenizer::Step PreTokenizer::compile(const PreTokenizerStep& rule) {
  Step step{rule, std::nullopt};
  if (const auto* split = std::get_if<SplitStep>(&rule); split && split->is_regex) step.regex.emplace(split->pattern);
  if (const auto* bytes = std::get_if<ByteLevelStep>(&rule); bytes && bytes->use_regex)
    step.regex.emplace(kGpt2Pattern);
  return step;
}

void PreTokenizer::apply(const Step& step, Piece piece, PreTokenizerScratch& scratch) {
  if (const auto* split = std::get_if<SplitStep>(&step.rule)) return apply_split(*split, step.regex, piece, scratch);
  if (const auto* digits = std::get_if<DigitsStep>(&step.rule)) return apply_digits(*digits, piece, scratch);
  if (const auto* bytes = std::get_if<ByteLevelStep>(&step.rule)) {
    return apply_byte_level(*bytes, step.regex, piece, scratch);
  }
  apply_metaspace(std::get<MetaspaceStep>(step.rule), piece, scratch);
}

std::span<const Piece> PreTokenizer::run(Piece text, PreTokenizerScratch& scratch) const {
  scratch.rewritten.clear();
  scratch.pieces.clear();
  if (!text.text.empty()) scratch.pieces.push_back(text);
  for (const Step& step : steps_) {
    scratch.next.clear();
    for (const Piece& piece : scratch.pieces) apply(step, piece, scratch);
    std::swap(scratch.pieces, scratch.next);
  }
  return scratch.pieces;
}

}  // namespace plimsoll::text
