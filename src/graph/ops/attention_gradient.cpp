#include "graph/ops/attention_gradient.h"

#include <algorithm>
#include <limits>

#include "plimsoll/ops.h"
#include "graph/ops/rows.h"

namespace plimsoll::fast {
namespace {

// Queries whose scores exist at a time.
constexpr int kBlockQueries = 256;

// Rows [first, last) of axis 2.
array rows(const array& a, int first, int last, Stream s) {
  Shape start(a.ndim(), 0), stop = a.shape();
  start[2] = first;
  stop[2] = last;
  return slice(a, start, stop, s);
}

// Zero rows behind, up to `count` in axis 2.
array with_rows(const array& a, int count, Stream s) {
  if (a.shape(2) == count) return a;
  return pad(a, std::vector<int>{2}, Shape{0}, Shape{count - a.shape(2)}, array(0.0f, a.dtype()), "constant", s);
}

array transposed(const array& a, Stream s) { return swapaxes(a, -1, -2, s); }

}  // namespace

AttentionGradient::AttentionGradient(const std::vector<array>& primals, const array& cotangent, float scale,
                                     bool causal, Stream stream)
    : primals_(primals),
      cotangent_(cotangent),
      scale_(scale),
      causal_(causal),
      stream_(stream),
      wide_(ops::wide_dtype(primals[0].dtype())),
      group_(primals[0].shape(1) / primals[1].shape(1)) {}

array AttentionGradient::of(int argnum) const {
  const array& primal = primals_[argnum];
  if (primal.size() == 0 || cotangent_.size() == 0 || primals_[1].shape(2) == 0) return zeros_like(primal, stream_);
  if (argnum == 1 || argnum == 2) return astype(sum_over_keys(argnum), primal.dtype(), stream_);
  std::vector<array> parts;
  for (const Block& block : blocks()) parts.push_back(block_gradient(block, argnum));
  return astype(concatenate(parts, 2, stream_), primal.dtype(), stream_);
}

std::vector<AttentionGradient::Block> AttentionGradient::blocks() const {
  const int queries = primals_[0].shape(2), keys = primals_[1].shape(2);
  std::vector<Block> blocks;
  for (int first = 0; first < queries; first += kBlockQueries) {
    const int last = std::min(queries, first + kBlockQueries);
    // A block that sees nothing keeps one hidden key, so that no product is empty.
    blocks.push_back({first, last, causal_ ? std::clamp(keys - queries + last, 1, keys) : keys});
  }
  return blocks;
}

array AttentionGradient::grouped(const array& a, const Block& block) const {
  const array part = astype(rows(a, block.first, block.last, stream_), wide_, stream_);
  return unflatten(part, 1, Shape{part.shape(1) / group_, group_}, stream_);
}

array AttentionGradient::queries_of(const Block& block) const {
  return multiply(grouped(primals_[0], block), array(scale_, wide_), stream_);
}

array AttentionGradient::keys_of(const Block& block) const {
  return expand_dims(astype(rows(primals_[1], 0, block.keys, stream_), wide_, stream_), 2, stream_);
}

array AttentionGradient::values_of(const Block& block) const {
  return expand_dims(astype(rows(primals_[2], 0, block.keys, stream_), wide_, stream_), 2, stream_);
}

array AttentionGradient::cotangent_of(const Block& block) const { return grouped(cotangent_, block); }

array AttentionGradient::mask_of(const Block& block) const {
  const array part = rows(primals_[3], block.first, block.last, stream_);
  Shape start(4, 0), stop = part.shape();
  stop[3] = block.keys;
  const array seen = slice(part, start, stop, stream_);
  return unflatten(seen, 1, Shape{seen.shape(1) / group_, group_}, stream_);
}

array AttentionGradient::hide(const Block& block, array scores) const {
  const array hidden(-std::numeric_limits<float>::infinity(), wide_);
  if (primals_.size() > 3) {
    const array mask = mask_of(block);
    scores = mask.dtype() == bool_ ? where(mask, scores, hidden, stream_)
                                   : add(scores, astype(mask, wide_, stream_), stream_);
  }
  if (!causal_) return scores;
  const int shift = primals_[1].shape(2) - primals_[0].shape(2);
  const array row = expand_dims(arange(block.first + shift, block.last + shift, stream_), 1, stream_);
  return where(greater_equal(row, arange(0, block.keys, stream_), stream_), scores, hidden, stream_);
}

array AttentionGradient::weights_of(const Block& block) const {
  const array scores = hide(block, matmul(queries_of(block), transposed(keys_of(block), stream_), stream_));
  array weights = softmax(scores, -1, true, stream_);
  // The weights of a row that sees nothing are 0 / 0; its output, zero, depends on nothing.
  if (!causal_ && primals_.size() <= 3) return weights;
  const array unseen = isneginf(max(scores, -1, true, stream_), stream_);
  return where(unseen, array(0.0f, wide_), weights, stream_);
}

array AttentionGradient::score_gradient_of(const Block& block) const {
  const array weights = weights_of(block);
  const array by_weight = matmul(cotangent_of(block), transposed(values_of(block), stream_), stream_);
  const array weighted = multiply(weights, by_weight, stream_);
  return subtract(weighted, multiply(weights, sum(weighted, -1, true, stream_), stream_), stream_);
}

array AttentionGradient::block_gradient(const Block& block, int argnum) const {
  const array score_gradient = score_gradient_of(block);
  if (argnum == 0) {
    const array by_query = matmul(score_gradient, keys_of(block), stream_);
    return flatten(multiply(by_query, array(scale_, wide_), stream_), 1, 2, stream_);
  }
  const int keys = primals_[1].shape(2);
  const array flat = flatten(score_gradient, 1, 2, stream_);
  return pad(flat, std::vector<int>{3}, Shape{0}, Shape{keys - block.keys}, array(0.0f, wide_), "constant", stream_);
}

array AttentionGradient::sum_over_keys(int argnum) const {
  const int keys = primals_[1].shape(2);
  std::vector<array> total;
  for (const Block& block : blocks()) {
    const array left = argnum == 1 ? score_gradient_of(block) : weights_of(block);
    const array right = argnum == 1 ? queries_of(block) : cotangent_of(block);
    const array by_head = matmul(transposed(left, stream_), right, stream_);
    const array part = with_rows(sum(by_head, 2, false, stream_), keys, stream_);
    total = {total.empty() ? part : add(total[0], part, stream_)};
  }
  return total[0];
}

}  // namespace plimsoll::fast
