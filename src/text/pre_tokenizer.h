// Cuts normalized text into the pieces that merges never cross.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plimsoll/text/tokenizer_spec.h"
#include "text/regex.h"

namespace plimsoll::text {

struct Piece {
  std::string_view text;
  bool at_start;  // whether it begins the whole text
};

// Work space of one encoding: pieces, and the texts of those that a step rewrote.
struct PreTokenizerScratch {
  std::vector<Piece> pieces;
  std::vector<Piece> next;
  std::deque<std::string> rewritten;
  RegexScratch regex;
};

class PreTokenizer {
 public:
  // std::invalid_argument with the reason for a pattern that does not compile.
  explicit PreTokenizer(std::span<const PreTokenizerStep> steps);

  // The pieces of `text`, in order, none empty. They refer to `text` and `scratch` and hold until the next call.
  std::span<const Piece> run(Piece text, PreTokenizerScratch& scratch) const;

 private:
  struct Step {
    PreTokenizerStep rule;
    std::optional<Regex> regex;  // of a split by pattern and of ByteLevel
  };

  static Step compile(const PreTokenizerStep& rule);
  static void apply(const Step& step, Piece piece, PreTokenizerScratch& scratch);

  std::vector<Step> steps_;
};

}  // namespace plimsoll::text
