// Oniguruma's dialect (Ruby syntax, UTF-8) in PCRE2's. What means the same is passed through, what differs is
// respelled, and all that could differ unseen is refused: a tokenizer that splits a little differently is worse than
// none.
#include <fmt/format.h>

#include <stdexcept>

#include "text/regex.h"

namespace plimsoll::text {

namespace {

// Class members. PCRE2's own \s and \w differ from Unicode's White_Space and from annex 18's word characters.
constexpr std::string_view kSpaceMembers = R"(\x09-\x0D\x{85}\p{Zl}\p{Zp}\p{Zs})";
constexpr std::string_view kWordMembers =
    R"(\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc})";

class DialectTranslator {
 public:
  explicit DialectTranslator(std::string_view pattern) : pattern_(pattern) {}

  std::string run() {
    while (at_ < pattern_.size()) step();
    if (in_class_) refuse("unterminated character class");
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    throw std::invalid_argument(fmt::format("pattern uses {} at byte {}, which is not supported", what, at_));
  }

  bool starts(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }

  void take(size_t count) {
    out_ += pattern_.substr(at_, count);
    at_ += count;
  }

  void respell(size_t count, std::string_view text) {
    out_ += text;
    at_ += count;
  }

  void step() {
    if (pattern_[at_] == '\\') {
      escape();
    } else if (in_class_) {
      class_character();
    } else {
      plain_character();
    }
  }

  void class_character() {
    if (pattern_[at_] == '[') refuse("a class inside a class");
    if (starts("&&")) refuse("an intersection of classes");
    if (pattern_[at_] == ']') in_class_ = false;
    take(1);
  }

  void plain_character() {
    switch (pattern_[at_]) {
      case '[':
        in_class_ = true;
        take(starts("[^") ? 2 : 1);
        if (starts("]")) refuse("an empty class");
        return;
      case '(':
        return group();
      case '{':
        if (starts("{,")) refuse("a repeat without a lower bound");
        return take(1);
      case '}':
        if (starts("}+")) refuse("a repeated repeat");
        return take(1);
      default:
        return take(1);
    }
  }

  void group() {
    if (starts("(*")) refuse("a verb");
    if (!starts("(?")) return take(1);
    for (const std::string_view known : {"(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?i:", "(?-i:"}) {
      if (starts(known)) return take(known.size());
    }
    refuse("this kind of group");
  }

  void escape() {
    if (at_ + 1 >= pattern_.size()) refuse("a backslash at its end");
    const char c = pattern_[at_ + 1];
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (!is_word) return take(2);
    switch (c) {
      case 'n':
      case 'r':
      case 't':
      case 'f':
      case 'a':
      case 'e':
      case 'd':
        return take(2);
      case 'v':
        return respell(2, R"(\x0B)");
      case 'x':
        return hexadecimal_escape();
      case 'u':
        return unicode_escape();
      case 'p':
      case 'P':
        return property();
      default:
        return in_class_ ? class_shorthand(c) : shorthand(c);
    }
  }

  void shorthand(char c) {
    switch (c) {
      case 's':
        return respell(2, fmt::format("[{}]", kSpaceMembers));
      case 'S':
        return respell(2, fmt::format("[^{}]", kSpaceMembers));
      case 'w':
        return respell(2, fmt::format("[{}]", kWordMembers));
      case 'W':
        return respell(2, fmt::format("[^{}]", kWordMembers));
      case 'D':
      case 'A':
      case 'z':
      case 'Z':
        return take(2);
      default:
        refuse(fmt::format("\\{}", c));
    }
  }

  void class_shorthand(char c) {
    switch (c) {
      case 's':
        return respell(2, kSpaceMembers);
      case 'S':  // PCRE2 counts U+180E as a space, Unicode does not
        return respell(2, R"(\x{180E}\S)");
      case 'w':
        return respell(2, kWordMembers);
      case 'D':
        return take(2);
      default:
        refuse(fmt::format("\\{} in a class", c));
    }
  }

  // \x{H...}; two digits without braces are a byte to Oniguruma, which only for ASCII is a character.
  void hexadecimal_escape() {
    if (starts("\\x{")) return take(3);
    const size_t high = at_ + 2;
    if (high + 1 >= pattern_.size() || pattern_[high] < '0' || pattern_[high] > '7') refuse("a byte escape");
    take(4);
  }

  void unicode_escape() {
    if (at_ + 6 > pattern_.size()) refuse("a short \\u");
    const std::string_view digits = pattern_.substr(at_ + 2, 4);
    if (digits.find_first_not_of("0123456789ABCDEFabcdef") != std::string_view::npos) refuse("a malformed \\u");
    respell(6, fmt::format("\\x{{{}}}", digits));
  }

  // \p{L} and the like pass; longer names are scripts, which PCRE2 would widen to script extensions.
  void property() {
    const size_t close = pattern_.find('}', at_);
    if (at_ + 2 >= pattern_.size() || pattern_[at_ + 2] != '{' || close == std::string_view::npos) {
      refuse("a property without braces");
    }
    std::string_view name = pattern_.substr(at_ + 3, close - at_ - 3);
    const bool negated = name.starts_with('^');
    if (negated) name.remove_prefix(1);
    for (const char c : name) {
      if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_')) refuse("this property");
    }
    if (name.empty()) refuse("a property without a name");
    const std::string_view scheme = name.size() > 2 ? "sc:" : "";
    const std::string respelled = fmt::format("\\{}{{{}{}{}}}", pattern_[at_ + 1], negated ? "^" : "", scheme, name);
    respell(close + 1 - at_, respelled);
  }

  std::string_view pattern_;
  std::string out_;
  size_t at_ = 0;
  bool in_class_ = false;
};

}  // namespace

std::string pcre2_from_oniguruma(std::string_view pattern) { return DialectTranslator(pattern).run(); }

}  // namespace plimsoll::text
