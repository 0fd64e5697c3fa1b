// Keys and values of the tokens seen so far, one pair of arrays per layer.
//
// An array is [1, capacity, key/value heads * head dimension]: the rows of one step lie side by side, so that writing
// them is one region, and attention sees a transposed view of the first `rows`. Writing is in place as long as no one
// else holds the arrays.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "plimsoll/array.h"
#include "plimsoll/lm/config.h"

namespace plimsoll::lm {

struct KvCacheOptions {
  int reserve_rows = 0;  // rows that are there from the start; more come as they are needed
  int max_rows = 0;      // the most rows there may ever be; 0: no cap
};

// Movable, not for use by two threads at once.
class KvCache {
 public:
  // OutOfMemory when the reserved rows do not fit the memory limit; std::length_error when they pass the cap.
  KvCache(const Config& config, Dtype dtype, const KvCacheOptions& options = {});

  int rows() const { return rows_; }  // tokens held
  int capacity() const { return capacity_; }
  int max_rows() const { return max_rows_; }
  size_t nbytes() const;

  // Makes room for `rows` tokens in all, by half more than there is and at least 256 rows unless `exact`.
  // std::length_error past the cap. When memory refuses, what it holds is unharmed.
  void reserve(int rows, bool exact = true);

  // Forgets all tokens but the first `rows`, which must be there. Keeps the capacity.
  void trim(int rows);

  // For models, once for each layer of a step: writes keys and values [1, tokens, kv heads * head dim] behind the rows
  // held. Returns keys and values of all tokens so far, [1, kv heads, rows + tokens, head dim]. The step must have been
  // announced with reserve(), and ends with advance().
  std::pair<array, array> append(int layer, const array& keys, const array& values);
  void advance(int tokens) { rows_ += tokens; }

  // All arrays, to be evaluated when nothing else of a step is wanted.
  std::vector<array> arrays() const;

 private:
  struct Layer {
    array keys;
    array values;
  };

  Shape shape(int capacity) const;
  array grown(const array& old, int capacity) const;
  array all_rows(const array& stored, int rows) const;

  int kv_heads_;
  int head_dim_;
  int max_rows_;
  Dtype dtype_;
  int rows_ = 0;
  int capacity_ = 0;
  std::vector<Layer> layers_;
};

}  // namespace plimsoll::lm
