#include "text/bpe.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "text/utf8.h"

namespace plimsoll::text {

namespace {

constexpr uint32_t kNowhere = UINT32_MAX;
constexpr size_t kMaxPieceBytes = size_t{1} << 31;

// Orders floats as integers, the greatest first; NaN has a fixed place.
uint32_t descending(float score) {
  const auto bits = std::bit_cast<uint32_t>(score);
  return (bits & 0x80000000u) != 0 ? bits : ~(bits | 0x80000000u);
}

// The two ways to tell what a pair becomes.
struct RuleOrder {
  const MergeTable& merges;

  Merge operator()(const Symbol& left, const Symbol& right) const { return merges.find(left.id, right.id); }
};

struct ScoreOrder {
  const Vocabulary& vocabulary;
  const std::vector<float>& scores;
  std::string_view piece;

  Merge operator()(const Symbol& left, const Symbol& right) const {
    const size_t size = right.end - left.begin;
    if (size > vocabulary.longest_token()) return {};
    const TokenId id = vocabulary.find(piece.substr(left.begin, size));
    return id == kNoToken ? Merge{} : Merge{descending(scores[static_cast<size_t>(id)]), id};
  }
};

template <typename Order>
class Merger {
 public:
  Merger(const Order& order, BpeScratch& scratch) : order_(order), symbols_(scratch.symbols), heap_(scratch.heap) {}

  void run() {
    heap_.clear();
    for (uint32_t i = 0; i + 1 < symbols_.size(); ++i) offer(i);
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), comes_later);
      const MergeCandidate best = heap_.back();
      heap_.pop_back();
      if (symbols_[best.position].merged == best.merged) merge(best);
    }
  }

 private:
  static bool comes_later(const MergeCandidate& a, const MergeCandidate& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.position > b.position;
  }

  void offer(uint32_t position) {
    Symbol& symbol = symbols_[position];
    const Merge merge = symbol.next == kNowhere ? Merge{} : order_(symbol, symbols_[symbol.next]);
    symbol.merged = merge.id;
    if (merge.id == kNoToken) return;
    heap_.push_back({merge.priority, position, merge.id});
    std::push_heap(heap_.begin(), heap_.end(), comes_later);
  }

  void merge(const MergeCandidate& best) {
    Symbol& left = symbols_[best.position];
    Symbol& right = symbols_[left.next];
    left.id = best.merged;
    left.end = right.end;
    left.next = right.next;
    right.merged = kNoToken;
    if (left.next != kNowhere) symbols_[left.next].previous = best.position;
    if (left.previous != kNowhere) offer(left.previous);
    offer(best.position);
  }

  const Order& order_;
  std::vector<Symbol>& symbols_;
  std::vector<MergeCandidate>& heap_;
};

void push_symbol(TokenId id, uint32_t begin, uint32_t end, std::vector<Symbol>& symbols) {
  const auto position = static_cast<uint32_t>(symbols.size());
  if (position > 0) symbols.back().next = position;
  symbols.push_back({id, begin, end, position == 0 ? kNowhere : position - 1, kNowhere, kNoToken});
}

std::vector<float> scores_of(const TokenizerSpec& spec) {
  std::vector<float> scores;
  if (!spec.scores) return scores;
  scores.reserve(spec.tokens.count);
  for (size_t id = 0; id < spec.tokens.count; ++id) scores.push_back(spec.scores(id));
  return scores;
}

}  // namespace

Bpe::Bpe(const TokenizerSpec& spec, const Vocabulary& vocabulary)
    : vocabulary_(vocabulary),
      merges_(spec, vocabulary),
      scores_(scores_of(spec)),
      kind_(spec.kind),
      ignore_merges_(spec.ignore_merges),
      byte_fallback_(spec.byte_fallback),
      fuse_unknown_(spec.fuse_unknown),
      unknown_(spec.unknown.value_or(kNoToken)) {}

void Bpe::encode(std::string_view piece, BpeScratch& scratch, std::vector<TokenId>& out) const {
  if (piece.size() >= kMaxPieceBytes) throw std::invalid_argument("[tokenizer] a piece of text passes 2 GiB");
  if (ignore_merges_) {
    const TokenId whole = vocabulary_.find(piece);
    if (whole != kNoToken) return out.push_back(whole);
  }
  auto& symbols = scratch.symbols;
  symbols.clear();
  kind_ == ModelKind::kByteLevelBpe ? split_bytes(piece, symbols) : split_characters(piece, symbols);
  if (symbols.empty()) return;
  if (scores_.empty()) {
    Merger(RuleOrder{merges_}, scratch).run();
  } else {
    Merger(ScoreOrder{vocabulary_, scores_, piece}, scratch).run();
  }
  bool follows_unknown = false;
  for (uint32_t at = 0; at != kNowhere; at = symbols[at].next) {
    const Symbol& symbol = symbols[at];
    if (symbol.id != kNoToken) {
      out.push_back(symbol.id);
    } else {
      append_unknown(piece.substr(symbol.begin, symbol.end - symbol.begin), out, follows_unknown);
    }
    follows_unknown = symbol.id == kNoToken;
  }
}

void Bpe::split_bytes(std::string_view piece, std::vector<Symbol>& symbols) const {
  for (uint32_t at = 0; at < piece.size(); ++at) {
    const TokenId id = vocabulary_.byte_token(static_cast<uint8_t>(piece[at]));
    if (id != kNoToken) {
      push_symbol(id, at, at + 1, symbols);
    } else {
      push_fallback(piece, at, at + 1, symbols);
    }
  }
}

// Where scores decide, characters without a token stay as they are: together they may still become one.
void Bpe::split_characters(std::string_view piece, std::vector<Symbol>& symbols) const {
  for (uint32_t at = 0; at < piece.size();) {
    const auto end = at + static_cast<uint32_t>(utf8_length(piece[at]));
    const TokenId id = vocabulary_.find(piece.substr(at, end - at));
    if (id != kNoToken || !scores_.empty()) {
      push_symbol(id, at, end, symbols);
    } else {
      push_fallback(piece, at, end, symbols);
    }
    at = end;
  }
}

void Bpe::push_fallback(std::string_view piece, uint32_t begin, uint32_t end, std::vector<Symbol>& symbols) const {
  if (has_byte_tokens(piece.substr(begin, end - begin))) {
    for (uint32_t at = begin; at < end; ++at) {
      push_symbol(vocabulary_.byte_token(static_cast<uint8_t>(piece[at])), at, at + 1, symbols);
    }
  } else if (unknown_ != kNoToken) {
    if (fuse_unknown_ && !symbols.empty() && symbols.back().id == unknown_) {
      symbols.back().end = end;
    } else {
      push_symbol(unknown_, begin, end, symbols);
    }
  }
}

bool Bpe::has_byte_tokens(std::string_view text) const {
  return byte_fallback_ && std::all_of(text.begin(), text.end(), [this](char c) {
           return vocabulary_.byte_token(static_cast<uint8_t>(c)) != kNoToken;
         });
}

void Bpe::append_unknown(std::string_view text, std::vector<TokenId>& out, bool follows_unknown) const {
  if (has_byte_tokens(text)) {
    for (const char c : text) out.push_back(vocabulary_.byte_token(static_cast<uint8_t>(c)));
  } else if (unknown_ != kNoToken && !(fuse_unknown_ && follows_unknown)) {
    out.push_back(unknown_);
  }
}

size_t Bpe::footprint_bytes() const {
  return sizeof(*this) + merges_.footprint_bytes() + scores_.capacity() * sizeof(float);
}

}  // namespace plimsoll::text
