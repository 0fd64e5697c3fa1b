#include "text/utf8.h"

#include <utf8proc.h>

#include <algorithm>

namespace plimsoll::text {

namespace {

// The values that the second byte may have after a lead byte, and how many bytes the character has.
struct LeadRule {
  uint8_t size;
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
};

LeadRule lead_rule(uint8_t lead) {
  if (lead < 0xC2 || lead > 0xF4) return {0};
  if (lead < 0xE0) return {2};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead < 0xF0) return {3};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {4};
}

}  // namespace

Utf8Unit utf8_unit(std::string_view text, size_t at) {
  const auto lead = static_cast<uint8_t>(text[at]);
  if (lead < 0x80) return {Utf8Unit::Kind::kCharacter, 1, lead};
  const LeadRule rule = lead_rule(lead);
  if (rule.size == 0) return {Utf8Unit::Kind::kIllFormed, 1, 0};
  char32_t value = lead & (0x7F >> rule.size);
  for (uint8_t i = 1; i < rule.size; ++i) {
    if (at + i >= text.size()) return {Utf8Unit::Kind::kIncomplete, i, 0};
    const auto byte = static_cast<uint8_t>(text[at + i]);
    const bool fits = i == 1 ? byte >= rule.low && byte <= rule.high : byte >= 0x80 && byte <= 0xBF;
    if (!fits) return {Utf8Unit::Kind::kIllFormed, i, 0};
    value = value << 6 | (byte & 0x3F);
  }
  return {Utf8Unit::Kind::kCharacter, rule.size, value};
}

bool is_valid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Unit unit = utf8_unit(text, at);
    if (unit.kind != Utf8Unit::Kind::kCharacter) return false;
    at += unit.size;
  }
  return true;
}

void append_repaired(std::string_view text, std::string& out) {
  out.reserve(out.size() + text.size());
  for (size_t at = 0; at < text.size();) {
    const Utf8Unit unit = utf8_unit(text, at);
    out += unit.kind == Utf8Unit::Kind::kCharacter ? text.substr(at, unit.size) : kReplacementCharacter;
    at += unit.size;
  }
}

void append_utf8(char32_t value, std::string& out) {
  uint8_t bytes[4];
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(value), bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

char32_t last_character(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && (static_cast<uint8_t>(text[at]) & 0xC0) == 0x80) --at;
  return utf8_unit(text, at).value;
}

bool is_white_space(char32_t c) {
  if (c <= 0x20) return c == 0x20 || (c >= 0x09 && c <= 0x0D);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_numeric(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_ND || category == UTF8PROC_CATEGORY_NL || category == UTF8PROC_CATEGORY_NO;
}

bool is_word_character(char32_t c) {
  // Letters by category So, and the two joiners.
  if (c == 0x200C || c == 0x200D || (c >= 0x24B6 && c <= 0x24E9)) return true;
  if ((c >= 0x1F130 && c <= 0x1F149) || (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189)) return true;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      return false;
  }
}

size_t leading_white_space(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const Utf8Unit unit = utf8_unit(text, at);
    if (!is_white_space(unit.value)) break;
    at += unit.size;
  }
  return at;
}

size_t trailing_white_space(std::string_view text) {
  size_t end = text.size();
  while (end > 0) {
    const char32_t c = last_character(text.substr(0, end));
    if (!is_white_space(c)) break;
    end -= c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
  }
  return text.size() - end;
}

}  // namespace plimsoll::text
