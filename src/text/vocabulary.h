// The tokens of a tokenizer by id and by text: one arena of bytes, offsets, and a table of open addressing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/text/tokenizer_spec.h"

namespace plimsoll::text {

inline constexpr TokenId kNoToken = -1;

class Vocabulary {
 public:
  // FileError naming spec.source for tables that are empty or too large.
  explicit Vocabulary(const TokenizerSpec& spec);

  size_t size() const { return offsets_.size() - 1; }
  bool contains(TokenId id) const { return id >= 0 && static_cast<size_t>(id) < size(); }

  // What the token stands for: bytes in a byte-level vocabulary, else the text as spelled (a byte token: its byte).
  std::string_view text(TokenId id) const {
    const auto at = static_cast<size_t>(id);
    return std::string_view(arena_).substr(offsets_[at], offsets_[at + 1] - offsets_[at]);
  }

  TokenType type(TokenId id) const { return types_[static_cast<size_t>(id)]; }
  bool is_control(TokenId id) const { return type(id) == TokenType::kControl || type(id) == TokenType::kUnknown; }

  // The token with this text that ordinary text may become, else kNoToken: never a control, unused or byte token.
  TokenId find(std::string_view text) const;

  // The token with this text whatever its type, byte tokens apart.
  TokenId find_any(std::string_view text) const;

  // The token of a single byte, or kNoToken.
  TokenId byte_token(uint8_t byte) const { return byte_tokens_[byte]; }

  // A token text as the file spells it, in the form that find() takes; empty if it can be no token of ordinary text.
  std::string key_of_spelling(std::string_view spelling) const;

  size_t longest_token() const { return longest_; }  // bytes
  size_t footprint_bytes() const;

 private:
  void add(std::string_view spelling, TokenType type);
  void index(TokenId id);
  size_t slot_of(std::string_view text) const;

  ModelKind kind_;
  std::string arena_;
  std::vector<uint32_t> offsets_;
  std::vector<TokenType> types_;
  std::vector<TokenId> slots_;  // a power of two of them, kNoToken where free
  std::array<TokenId, 256> byte_tokens_;
  size_t longest_ = 0;
};

}  // namespace plimsoll::text
