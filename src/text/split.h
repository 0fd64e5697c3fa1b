// Splitting a text by what a pattern matches, with the behaviours of Hugging Face's Split.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "plimsoll/text/tokenizer_spec.h"
#include "text/regex.h"

namespace plimsoll::text {

// A stretch of a text that either matches or lies between matches. Stretches cover the text in order.
struct Stretch {
  size_t begin;
  size_t end;
  bool matches;
};

std::vector<Stretch> stretches_of_regex(std::string_view text, const Regex& regex, RegexScratch& scratch);
std::vector<Stretch> stretches_of_literal(std::string_view text, std::string_view literal);
std::vector<Stretch> stretches_of_digits(std::string_view text);  // one for each digit

// What is left after the behaviour removed or joined stretches.
std::vector<Stretch> joined(std::span<const Stretch> stretches, SplitBehavior behavior);

}  // namespace plimsoll::text
