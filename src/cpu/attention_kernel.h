// Scaled dot-product attention on the CPU, without the score matrix.
//
// Prefill: the rows of all query heads that share a key/value head are laid side by side in the lanes of vectors
// ("panels"), so that the softmax over keys runs down the vectors and needs no sums across lanes. A panel walks the
// keys in tiles, keeping running maxima, totals and weighted sums (online softmax: Milakov and Gimelshein, 2018; tiled
// as in FlashAttention, Dao et al., 2022).
//
// Few rows (decode): scores are dot products along the head dimension, and long key ranges are cut into parts of fixed
// length that run in parallel and are combined in order. Results depend on shapes and values alone, not on threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "plimsoll/dtype.h"

namespace plimsoll::cpu {

// Strides are in elements, in the order batch, head, row, column.
struct AttentionOperand {
  const std::byte* data = nullptr;
  int64_t strides[4] = {};
};

struct Attention {
  Dtype dtype = float32;  // of queries, keys, values and output: any floating one
  int64_t batch = 0;
  int64_t query_heads = 0;  // a multiple of kv_heads
  int64_t kv_heads = 0;
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t dim = 0;        // of queries and keys
  int64_t value_dim = 0;  // of values and output
  AttentionOperand q, k, v;
  std::byte* out = nullptr;
  int64_t out_strides[3] = {};  // batch, head, row; columns are contiguous
  double scale = 1;
  bool causal = false;       // query i sees keys up to keys - queries + i
  AttentionOperand mask;     // [batch, query_heads, queries, keys], stride 0 where broadcast; no data: none
  Dtype mask_dtype = bool_;  // bool_ (true: seen) or `dtype` (added to the scores)
};

// Bytes of scratch that attention() needs; more lets more threads work. Depends on sizes, strides and dtypes alone.
size_t attention_scratch_bytes(const Attention& problem);

// Writes the output. Accumulates in float32 (float64 for float64). A row that sees no key gives zeros.
void attention(const Attention& problem, std::span<std::byte> scratch);

}  // namespace plimsoll::cpu
