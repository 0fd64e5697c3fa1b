// Byte-pair encoding of one piece of text.
//
// Neighbouring symbols are joined, most urgent pair first and leftmost among equals, until no pair can be. The pairs
// wait in a heap, and a symbol remembers what its pair would become, so that an entry overtaken by a merge is known
// when it comes up: n symbols cost O(n log n), however regular the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "text/merge_table.h"
#include "text/vocabulary.h"

namespace plimsoll::text {

// A stretch of the piece that is one token so far, in a list with its neighbours.
struct Symbol {
  TokenId id;      // kNoToken: no token has this text (yet)
  uint32_t begin;  // bytes of the piece
  uint32_t end;
  uint32_t previous;
  uint32_t next;
  TokenId merged;  // what it becomes together with the next one
};

struct MergeCandidate {
  uint32_t priority;
  uint32_t position;
  TokenId merged;
};

// Work space of one encoding.
struct BpeScratch {
  std::vector<Symbol> symbols;
  std::vector<MergeCandidate> heap;
};

class Bpe {
 public:
  // Refers to `vocabulary`. FileError naming spec.source for rules that do not fit it.
  Bpe(const TokenizerSpec& spec, const Vocabulary& vocabulary);

  // Appends the tokens of `piece`. What no token stands for becomes byte tokens, else the unknown token, else nothing.
  // std::invalid_argument for a piece of 2 GiB or more.
  void encode(std::string_view piece, BpeScratch& scratch, std::vector<TokenId>& out) const;

  size_t footprint_bytes() const;

 private:
  void split_bytes(std::string_view piece, std::vector<Symbol>& symbols) const;
  void split_characters(std::string_view piece, std::vector<Symbol>& symbols) const;
  void push_fallback(std::string_view piece, uint32_t begin, uint32_t end, std::vector<Symbol>& symbols) const;
  bool has_byte_tokens(std::string_view text) const;
  void append_unknown(std::string_view text, std::vector<TokenId>& out, bool follows_unknown) const;

  const Vocabulary& vocabulary_;
  MergeTable merges_;
  std::vector<float> scores_;  // by token; empty where rules decide
  ModelKind kind_;
  bool ignore_merges_;
  bool byte_fallback_;
  bool fuse_unknown_;
  TokenId unknown_;
};

}  // namespace plimsoll::text
