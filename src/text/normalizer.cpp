#include "text/normalizer.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "text/split.h"
#include "text/unicode_age.h"
#include "text/utf8.h"

namespace plimsoll::text {

namespace {

// Longest result of a text: no form of Unicode comes near it, and a file's replacements cannot grow without end.
size_t longest_result(size_t text_size) { return 4096 + 32 * text_size; }

void check_growth(size_t size, size_t limit) {
  if (size > limit) {
    throw std::runtime_error("[tokenizer] the normalizer makes the text more than 32 times as long");
  }
}

utf8proc_option_t options_of(UnicodeForm form) {
  int options = UTF8PROC_STABLE;
  if (form == UnicodeForm::kNfkc || form == UnicodeForm::kNfkd) options |= UTF8PROC_COMPAT;
  const bool composed = form == UnicodeForm::kNfc || form == UnicodeForm::kNfkc;
  options |= composed ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
  return static_cast<utf8proc_option_t>(options);
}

bool is_ascii(std::string_view text) {
  for (const char c : text) {
    if (static_cast<uint8_t>(c) >= 0x80) return false;
  }
  return true;
}

std::string mapped(std::string_view text, UnicodeForm form) {
  utf8proc_uint8_t* result = nullptr;
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                 static_cast<utf8proc_ssize_t>(text.size()), &result, options_of(form));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, &std::free);
  if (size < 0) throw std::bad_alloc();
  return std::string(reinterpret_cast<const char*>(result), static_cast<size_t>(size));
}

// Characters that the reference cannot normalize stay, and divide what is normalized.
std::string to_form(std::string text, UnicodeForm form) {
  if (is_ascii(text)) return text;  // every form leaves ASCII as it is
  std::string result;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const Utf8Unit unit = utf8_unit(text, at);
    if (is_inert_to_reference(unit.value)) {
      result += mapped(std::string_view(text).substr(begin, at - begin), form);
      result += std::string_view(text).substr(at, unit.size);
      begin = at + unit.size;
    }
    at += unit.size;
  }
  return result + mapped(std::string_view(text).substr(begin), form);
}

// Character by character, as the reference does it: no final sigma.
std::string to_lower(std::string_view text) {
  constexpr char32_t kCapitalIWithDot = 0x130;
  std::string lower;
  lower.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Utf8Unit unit = utf8_unit(text, at);
    if (unit.value == kCapitalIWithDot) {
      lower += "i\u0307";
    } else {
      append_utf8(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(unit.value))), lower);
    }
    at += unit.size;
  }
  return lower;
}

std::string replaced(std::string_view text, const ReplaceStep& step, const std::optional<Regex>& regex,
                     RegexScratch& scratch, size_t limit) {
  const auto stretches = regex ? stretches_of_regex(text, *regex, scratch) : stretches_of_literal(text, step.pattern);
  std::string result;
  result.reserve(text.size());
  for (const Stretch& stretch : stretches) {
    result +=
        stretch.matches ? std::string_view(step.content) : text.substr(stretch.begin, stretch.end - stretch.begin);
    check_growth(result.size(), limit);
  }
  return result;
}

std::string stripped(std::string text, const StripStep& step) {
  if (step.right) text.resize(text.size() - trailing_white_space(text));
  if (step.left) text.erase(0, leading_white_space(text));
  return text;
}

}  // namespace

Normalizer::Normalizer(std::span<const NormalizerStep> steps) {
  for (const NormalizerStep& rule : steps) {
    Step step{rule, std::nullopt};
    if (const auto* replace = std::get_if<ReplaceStep>(&rule); replace && replace->is_regex) {
      step.regex.emplace(replace->pattern);
    }
    steps_.push_back(std::move(step));
  }
}

std::string Normalizer::apply(const Step& step, std::string text, RegexScratch& scratch, size_t limit) {
  if (const auto* form = std::get_if<UnicodeForm>(&step.rule)) return to_form(std::move(text), *form);
  if (std::holds_alternative<LowercaseStep>(step.rule)) return to_lower(text);
  if (const auto* replace = std::get_if<ReplaceStep>(&step.rule)) {
    return replaced(text, *replace, step.regex, scratch, limit);
  }
  if (const auto* prepend = std::get_if<PrependStep>(&step.rule)) {
    return text.empty() ? text : prepend->content + text;
  }
  return stripped(std::move(text), std::get<StripStep>(step.rule));
}

std::string Normalizer::run(std::string_view text, RegexScratch& scratch) const {
  std::string result(text);
  const size_t limit = longest_result(text.size());
  for (const Step& step : steps_) {
    result = apply(step, std::move(result), scratch, limit);
    check_growth(result.size(), limit);
  }
  return result;
}

}  // namespace plimsoll::text
