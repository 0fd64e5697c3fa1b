// Rewrites text before it is cut: Unicode normalization forms, replacements and the like, step by step.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/text/tokenizer_spec.h"
#include "text/regex.h"

namespace plimsoll::text {

class Normalizer {
 public:
  // std::invalid_argument with the reason for a pattern that does not compile.
  explicit Normalizer(std::span<const NormalizerStep> steps);

  bool is_identity() const { return steps_.empty(); }

  // Requires valid UTF-8 and gives it. std::runtime_error if the steps make it more than 32 times as long.
  std::string run(std::string_view text, RegexScratch& scratch) const;

 private:
  struct Step {
    NormalizerStep rule;
    std::optional<Regex> regex;  // of a replacement by pattern
  };

  static std::string apply(const Step& step, std::string text, RegexScratch& scratch, size_t limit);

  std::vector<Step> steps_;
};

}  // namespace plimsoll::text
