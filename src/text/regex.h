// The patterns of tokenizers, run by PCRE2 with its just-in-time compiler.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::text {

// Work space for matching; one per thread that matches.
class RegexScratch {
 public:
  RegexScratch();
  ~RegexScratch();
  RegexScratch(const RegexScratch&) = delete;
  RegexScratch& operator=(const RegexScratch&) = delete;

 private:
  friend class Regex;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class Regex {
 public:
  struct Match {
    size_t begin;
    size_t end;
  };

  // `pattern` is in the dialect of Oniguruma. std::invalid_argument with the reason if it does not compile, or if the
  // two engines would disagree on what it means.
  explicit Regex(std::string_view pattern);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  // The first match that begins at `from` or later. Requires valid UTF-8 and `from` at a character. std::runtime_error
  // if the match needs more steps or stack than PCRE2's limits allow.
  std::optional<Match> find(std::string_view text, size_t from, RegexScratch& scratch) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

// The PCRE2 spelling of an Oniguruma pattern. std::invalid_argument for what has no sure equal.
std::string pcre2_from_oniguruma(std::string_view pattern);

}  // namespace plimsoll::text
