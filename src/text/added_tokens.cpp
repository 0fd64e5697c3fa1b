#include "text/added_tokens.h"

#include <algorithm>

#include "text/utf8.h"

namespace plimsoll::text {

namespace {

uint8_t byte_at(std::string_view text, size_t at) { return static_cast<uint8_t>(text[at]); }

bool stands_alone(std::string_view text, size_t begin, size_t end) {
  if (begin > 0 && is_word_character(last_character(text.substr(0, begin)))) return false;
  return end == text.size() || !is_word_character(utf8_unit(text, end).value);
}

}  // namespace

AddedTokenMatcher::AddedTokenMatcher(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::erase_if(tokens_, [](const AddedToken& token) { return token.content.empty(); });
  std::sort(tokens_.begin(), tokens_.end(), [](const AddedToken& a, const AddedToken& b) {
    return a.content != b.content ? a.content < b.content : a.id < b.id;
  });
  for (const AddedToken& token : tokens_) ++by_first_byte_[size_t{byte_at(token.content, 0)} + 1];
  for (size_t byte = 0; byte < 256; ++byte) by_first_byte_[byte + 1] += by_first_byte_[byte];
}

// Narrows the sorted range byte by byte; the tokens that end at each step stand first in it.
const AddedToken* AddedTokenMatcher::longest_at(std::string_view text, size_t at, const Filter& allowed) const {
  const uint8_t first = byte_at(text, at);
  auto low = tokens_.begin() + by_first_byte_[first];
  auto high = tokens_.begin() + by_first_byte_[size_t{first} + 1];
  const AddedToken* longest = nullptr;
  for (size_t depth = 1; low != high; ++depth) {
    for (; low != high && low->content.size() == depth; ++low) {
      if (allowed(*low, at, at + depth)) longest = &*low;
    }
    if (low == high || at + depth == text.size()) break;
    const uint8_t next = byte_at(text, at + depth);
    low = std::partition_point(low, high, [&](const AddedToken& t) { return byte_at(t.content, depth) < next; });
    high = std::partition_point(low, high, [&](const AddedToken& t) { return byte_at(t.content, depth) == next; });
  }
  return longest;
}

std::vector<AddedSpan> AddedTokenMatcher::split(std::string_view text, const Filter& allowed) const {
  std::vector<AddedSpan> spans;
  size_t covered = 0;
  const auto cover = [&](size_t end, const AddedToken* token) {
    if (end > covered) spans.push_back({covered, end, token});
    covered = std::max(covered, end);
  };
  for (size_t at = 0; at < text.size();) {
    const uint8_t first = byte_at(text, at);
    const bool any = by_first_byte_[first] != by_first_byte_[size_t{first} + 1];
    const AddedToken* token = any ? longest_at(text, at, allowed) : nullptr;
    if (token == nullptr) {
      ++at;
      continue;
    }
    const size_t end = at + token->content.size();
    if (token->single_word && !stands_alone(text, at, end)) {
      at = end;
      continue;
    }
    const size_t before = token->lstrip ? trailing_white_space(text.substr(covered, at - covered)) : 0;
    cover(at - before, nullptr);
    at = end + (token->rstrip ? leading_white_space(text.substr(end)) : 0);
    cover(at, token);
  }
  cover(text.size(), nullptr);
  return spans;
}

const AddedToken* AddedTokenMatcher::find(std::string_view content) const {
  const auto at = std::lower_bound(tokens_.begin(), tokens_.end(), content,
                                   [](const AddedToken& token, std::string_view text) { return token.content < text; });
  return at != tokens_.end() && at->content == content ? &*at : nullptr;
}

size_t AddedTokenMatcher::footprint_bytes() const {
  size_t bytes = sizeof(*this) + tokens_.capacity() * sizeof(AddedToken);
  for (const AddedToken& token : tokens_) bytes += token.content.capacity();
  return bytes;
}

}  // namespace plimsoll::text
