// Finds the tokens that are looked for in the text itself, before the model sees it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "plimsoll/text/tokenizer_spec.h"

namespace plimsoll::text {

// A stretch of text: one added token, or (token == nullptr) what lies between them.
struct AddedSpan {
  size_t begin;
  size_t end;
  const AddedToken* token;
};

class AddedTokenMatcher {
 public:
  // Whether a token found at [begin, end) may become its id.
  using Filter = std::function<bool(const AddedToken&, size_t begin, size_t end)>;

  AddedTokenMatcher() = default;
  explicit AddedTokenMatcher(std::vector<AddedToken> tokens);

  // Spans that cover `text` in order, none empty: leftmost tokens first, the longest at each place, flags honoured.
  std::vector<AddedSpan> split(std::string_view text, const Filter& allowed) const;

  const AddedToken* find(std::string_view content) const;
  bool empty() const { return tokens_.empty(); }
  size_t footprint_bytes() const;

 private:
  const AddedToken* longest_at(std::string_view text, size_t at, const Filter& allowed) const;

  std::vector<AddedToken> tokens_;  // sorted by content
  std::array<uint32_t, 257>
      by_first_byte_{};  // tokens that begin with byte b: [by_first_byte_[b], by_first_byte_[b + 1])
};

}  // namespace plimsoll::text
