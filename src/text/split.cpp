#include "text/split.h"

#include <algorithm>

#include "text/utf8.h"

namespace plimsoll::text {

namespace {

// Builds stretches from matches that come in order.
class StretchBuilder {
 public:
  void match(size_t begin, size_t end) {
    if (begin > covered_) stretches_.push_back({covered_, begin, false});
    stretches_.push_back({begin, end, true});
    covered_ = end;
  }

  std::vector<Stretch> finish(size_t size) {
    if (size > covered_) stretches_.push_back({covered_, size, false});
    return std::move(stretches_);
  }

 private:
  std::vector<Stretch> stretches_;
  size_t covered_ = 0;
};

std::vector<Stretch> merged_with_previous(std::span<const Stretch> stretches) {
  std::vector<Stretch> result;
  bool previous_matches = false;
  for (const Stretch& stretch : stretches) {
    if (stretch.matches && !previous_matches && !result.empty()) {
      result.back().end = stretch.end;
    } else {
      result.push_back(stretch);
    }
    previous_matches = stretch.matches;
  }
  return result;
}

std::vector<Stretch> merged_with_next(std::span<const Stretch> stretches) {
  std::vector<Stretch> result;
  bool next_matches = false;
  for (auto stretch = stretches.rbegin(); stretch != stretches.rend(); ++stretch) {
    if (stretch->matches && !next_matches && !result.empty()) {
      result.back().begin = stretch->begin;
    } else {
      result.push_back(*stretch);
    }
    next_matches = stretch->matches;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::vector<Stretch> contiguous(std::span<const Stretch> stretches) {
  std::vector<Stretch> result;
  for (const Stretch& stretch : stretches) {
    if (!result.empty() && result.back().matches == stretch.matches) {
      result.back().end = stretch.end;
    } else {
      result.push_back(stretch);
    }
  }
  return result;
}

}  // namespace

std::vector<Stretch> stretches_of_regex(std::string_view text, const Regex& regex, RegexScratch& scratch) {
  StretchBuilder builder;
  size_t from = 0;
  while (from < text.size()) {
    const auto match = regex.find(text, from, scratch);
    if (!match) break;
    builder.match(match->begin, match->end);
    from = match->end;
    if (match->begin == match->end && from < text.size()) from += utf8_length(text[from]);
  }
  return builder.finish(text.size());
}

std::vector<Stretch> stretches_of_literal(std::string_view text, std::string_view literal) {
  StretchBuilder builder;
  size_t at = literal.empty() ? std::string_view::npos : text.find(literal);
  while (at != std::string_view::npos) {
    builder.match(at, at + literal.size());
    at = text.find(literal, at + literal.size());
  }
  return builder.finish(text.size());
}

std::vector<Stretch> stretches_of_digits(std::string_view text) {
  StretchBuilder builder;
  for (size_t at = 0; at < text.size();) {
    const Utf8Unit unit = utf8_unit(text, at);
    if (is_numeric(unit.value)) builder.match(at, at + unit.size);
    at += unit.size;
  }
  return builder.finish(text.size());
}

std::vector<Stretch> joined(std::span<const Stretch> stretches, SplitBehavior behavior) {
  std::vector<Stretch> result;
  switch (behavior) {
    case SplitBehavior::kMergedWithPrevious:
      return merged_with_previous(stretches);
    case SplitBehavior::kMergedWithNext:
      return merged_with_next(stretches);
    case SplitBehavior::kContiguous:
      return contiguous(stretches);
    case SplitBehavior::kRemoved:
      std::copy_if(stretches.begin(), stretches.end(), std::back_inserter(result),
                   [](const Stretch& s) { return !s.matches; });
      return result;
    case SplitBehavior::kIsolated:
      break;
  }
  return {stretches.begin(), stretches.end()};
}

}  // namespace plimsoll::text
