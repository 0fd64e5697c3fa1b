// Merge rules by the pair of tokens that they join.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plimsoll/text/tokenizer_spec.h"
#include "text/vocabulary.h"

namespace plimsoll::text {

// What a pair of neighbours may become. The lowest priority goes first.
struct Merge {
  uint32_t priority = 0;
  TokenId id = kNoToken;  // kNoToken: the pair stays apart
};

class MergeTable {
 public:
  // FileError naming spec.source and the rule for one whose tokens are not in the vocabulary. Rules that make a control
  // token are left out: text never becomes one.
  MergeTable(const TokenizerSpec& spec, const Vocabulary& vocabulary);

  Merge find(TokenId left, TokenId right) const;

  size_t footprint_bytes() const;

 private:
  struct Rule {
    TokenId left;
    TokenId right;
    TokenId result;
  };

  void add(const TokenizerSpec& spec, const Vocabulary& vocabulary, size_t index);
  size_t slot_of(TokenId left, TokenId right) const;

  std::vector<Rule> rules_;      // by priority
  std::vector<uint32_t> slots_;  // a power of two of them: index of a rule, kFree where free
};

}  // namespace plimsoll::text
