#include "text/merge_table.h"

#include <fmt/format.h>

#include <bit>

#include "plimsoll/errors.h"
#include "base/quote.h"

namespace plimsoll::text {

namespace {

constexpr uint32_t kFree = UINT32_MAX;
constexpr size_t kMaxRules = size_t{1} << 26;

}  // namespace

MergeTable::MergeTable(const TokenizerSpec& spec, const Vocabulary& vocabulary) {
  const size_t count = spec.merges.count;
  if (count > kMaxRules) {
    throw FileError(spec.source, fmt::format("merges: {} rules are more than the {} supported", count, kMaxRules));
  }
  rules_.reserve(count);
  slots_.assign(std::bit_ceil(count + count / 3 + 1), kFree);
  for (size_t index = 0; index < count; ++index) add(spec, vocabulary, index);
}

void MergeTable::add(const TokenizerSpec& spec, const Vocabulary& vocabulary, size_t index) {
  const auto [left_spelling, right_spelling] = spec.merges.at(index);
  const std::string left = vocabulary.key_of_spelling(left_spelling);
  const std::string right = vocabulary.key_of_spelling(right_spelling);
  const Rule rule{vocabulary.find_any(left), vocabulary.find_any(right), vocabulary.find_any(left + right)};
  if (left.empty() || right.empty() || rule.left == kNoToken || rule.right == kNoToken || rule.result == kNoToken) {
    throw FileError(spec.source, fmt::format("merges[{}]: {} and {} or their join is not in the vocabulary", index,
                                             base::quote(left_spelling), base::quote(right_spelling)));
  }
  if (vocabulary.is_control(rule.result)) return;
  uint32_t& slot = slots_[slot_of(rule.left, rule.right)];
  if (slot != kFree) return;  // a rule given twice
  slot = static_cast<uint32_t>(rules_.size());
  rules_.push_back(rule);
}

size_t MergeTable::slot_of(TokenId left, TokenId right) const {
  const size_t mask = slots_.size() - 1;
  const uint64_t key = static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
  const uint64_t mixed = (key ^ key >> 29) * 0x9E3779B97F4A7C15u;
  size_t slot = (mixed ^ mixed >> 32) & mask;
  while (slots_[slot] != kFree && (rules_[slots_[slot]].left != left || rules_[slots_[slot]].right != right)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

Merge MergeTable::find(TokenId left, TokenId right) const {
  const uint32_t index = slots_[slot_of(left, right)];
  return index == kFree ? Merge{} : Merge{index, rules_[index].result};
}

size_t MergeTable::footprint_bytes() const {
  return rules_.capacity() * sizeof(Rule) + slots_.capacity() * sizeof(uint32_t);
}

}  // namespace plimsoll::text
