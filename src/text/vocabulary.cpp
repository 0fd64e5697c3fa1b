#include "text/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>

#include "plimsoll/errors.h"
#include "base/quote.h"
#include "text/byte_level.h"

namespace plimsoll::text {

namespace {

constexpr size_t kMaxTokens = size_t{1} << 24;
constexpr size_t kMaxArenaBytes = size_t{1} << 31;

// The byte that "<0xNN>" spells.
std::optional<uint8_t> byte_of_spelling(std::string_view spelling) {
  if (spelling.size() != 6 || !spelling.starts_with("<0x") || spelling[5] != '>') return std::nullopt;
  int value = 0;
  for (const char c : spelling.substr(3, 2)) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && !(c >= 'A' && c <= 'F')) return std::nullopt;
    value = value * 16 + (digit ? c - '0' : c - 'A' + 10);
  }
  return static_cast<uint8_t>(value);
}

bool is_spelled_as_is(TokenType type) { return type != TokenType::kNormal && type != TokenType::kUnused; }

}  // namespace

Vocabulary::Vocabulary(const TokenizerSpec& spec) : kind_(spec.kind) {
  const size_t count = spec.tokens.count;
  if (count == 0) throw FileError(spec.source, "vocabulary: it has no tokens");
  if (count > kMaxTokens) {
    throw FileError(spec.source,
                    fmt::format("vocabulary: {} tokens are more than the {} supported", count, kMaxTokens));
  }
  byte_tokens_.fill(kNoToken);
  offsets_.reserve(count + 1);
  offsets_.push_back(0);
  types_.reserve(count);
  for (size_t id = 0; id < count; ++id) {
    add(spec.tokens.at(id), spec.types ? spec.types(id) : TokenType::kNormal);
    if (arena_.size() > kMaxArenaBytes) throw FileError(spec.source, "vocabulary: its texts pass 2 GiB");
  }
  arena_.shrink_to_fit();
  slots_.assign(std::bit_ceil(count + count / 4 + 1), kNoToken);
  for (size_t id = 0; id < count; ++id) index(static_cast<TokenId>(id));
  if (kind_ != ModelKind::kByteLevelBpe) return;
  for (int byte = 0; byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    byte_tokens_[static_cast<size_t>(byte)] = find({&text, 1});
  }
}

void Vocabulary::add(std::string_view spelling, TokenType type) {
  const size_t begin = arena_.size();
  if (kind_ == ModelKind::kSentencePieceBpe && type == TokenType::kByte) {
    const auto byte = byte_of_spelling(spelling);
    if (byte) {
      byte_tokens_[*byte] = static_cast<TokenId>(types_.size());
      arena_ += static_cast<char>(*byte);
    } else {
      type = TokenType::kUnused;
      arena_ += spelling;
    }
  } else if (kind_ == ModelKind::kByteLevelBpe && !is_spelled_as_is(type)) {
    const auto bytes = bytes_of_byte_level(spelling);
    if (!bytes) type = TokenType::kUnused;  // no text becomes it; it decodes to its spelling
    arena_ += bytes ? std::string_view(*bytes) : spelling;
  } else {
    arena_ += spelling;
  }
  types_.push_back(type);
  offsets_.push_back(static_cast<uint32_t>(arena_.size()));
  longest_ = std::max(longest_, arena_.size() - begin);
}

// The first of several tokens with one text keeps the place, but ordinary ones come before the others.
void Vocabulary::index(TokenId id) {
  if (type(id) == TokenType::kByte || text(id).empty()) return;
  TokenId& slot = slots_[slot_of(text(id))];
  const auto ordinary = [this](TokenId token) { return !is_control(token) && type(token) != TokenType::kUnused; };
  if (slot == kNoToken || (ordinary(id) && !ordinary(slot))) slot = id;
}

size_t Vocabulary::slot_of(std::string_view key) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = std::hash<std::string_view>{}(key)&mask;
  while (slots_[slot] != kNoToken && text(slots_[slot]) != key) slot = (slot + 1) & mask;
  return slot;
}

TokenId Vocabulary::find_any(std::string_view key) const { return slots_[slot_of(key)]; }

TokenId Vocabulary::find(std::string_view key) const {
  const TokenId id = find_any(key);
  return id == kNoToken || is_control(id) || type(id) == TokenType::kUnused ? kNoToken : id;
}

std::string Vocabulary::key_of_spelling(std::string_view spelling) const {
  if (kind_ == ModelKind::kSentencePieceBpe) return std::string(spelling);
  return bytes_of_byte_level(spelling).value_or(std::string());
}

size_t Vocabulary::footprint_bytes() const {
  return sizeof(*this) + arena_.capacity() + offsets_.capacity() * sizeof(uint32_t) + types_.capacity() +
         slots_.capacity() * sizeof(TokenId);
}

}  // namespace plimsoll::text
