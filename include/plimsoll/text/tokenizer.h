// Text to token ids and back.
//
// Ids equal those of the Hugging Face `tokenizers` package for the same tokenizer. Text that is not UTF-8 counts as
// what Python's decode(errors="replace") makes of it: U+FFFD for each maximal ill-formed part.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/text/tokenizer_spec.h"

namespace plimsoll::text {

// A stretch of a rendered prompt. Only a control segment's text may become control tokens.
struct Segment {
  std::string text;
  bool is_control = false;

  bool operator==(const Segment&) const = default;
};

struct EncodeOptions {
  bool add_special = true;     // BOS, EOS and what else the tokenizer declares around a text
  bool parse_special = false;  // control tokens spelled in the text become their ids; else they are text like any other
};

struct DecodeOptions {
  bool skip_special = true;      // leave control tokens out
  bool at_start_of_text = true;  // false keeps the leading space that SentencePiece tokenizers drop at the start
};

// Immutable once built; every method may be called from any thread at once.
class Tokenizer {
 public:
  // FileError naming spec.source and the field for tables that contradict each other, and for a pattern that does not
  // compile.
  explicit Tokenizer(const TokenizerSpec& spec);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  // A text that begins with BOS already is given no second one. std::invalid_argument for a text of 1 GiB or more;
  // std::runtime_error if a pattern of the tokenizer gives up on the text, or its normalizer multiplies it.
  std::vector<TokenId> encode(std::string_view text, const EncodeOptions& options = {}) const;

  // The ids of the joined text, where a control token is recognised only inside a control segment (parse_special is not
  // looked at). What the tokenizer declares to stand after a text is not added: a prompt goes on.
  std::vector<TokenId> encode(std::span<const Segment> segments, const EncodeOptions& options = {}) const;

  // Always valid UTF-8: U+FFFD stands for each maximal ill-formed part. Unlike the reference, a run of byte tokens with
  // one bad byte keeps its good characters. std::out_of_range for an id outside the vocabulary.
  std::string decode(std::span<const TokenId> ids, const DecodeOptions& options = {}) const;

  // Appends what one token stands for, and says whether it was not left out; may end inside a character. A
  // StreamingDecoder puts the parts together.
  bool append_bytes(TokenId id, const DecodeOptions& options, std::string& out) const;

  size_t vocabulary_size() const;
  std::optional<TokenId> bos() const;
  std::optional<TokenId> eos() const;
  std::optional<TokenId> unknown() const;
  std::span<const TokenId> end_ids() const;  // any of these ends a generation; eos is among them
  bool adds_bos() const;
  bool is_control(TokenId id) const;  // false for ids outside the vocabulary
  std::optional<TokenId> find_added(std::string_view content) const;
  size_t footprint_bytes() const;  // host memory of the tables

 private:
  class Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace plimsoll::text
