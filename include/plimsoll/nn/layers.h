// The layers that decoders are made of. Plain values: copies share their parameters.
#pragma once

#include <optional>

#include "plimsoll/array.h"
#include "plimsoll/nn/weight.h"

namespace plimsoll::nn {

// x @ W.T + b
class Linear {
 public:
  // bias [N] of the dtype of the activations. std::invalid_argument for another length.
  explicit Linear(Weight weight, std::optional<array> bias = std::nullopt);

  array operator()(const array& x) const;  // [..., K] -> [..., N]

  const Weight& weight() const { return weight_; }
  const std::optional<array>& bias() const { return bias_; }

 private:
  Weight weight_;
  std::optional<array> bias_;
};

// A table of row vectors, one per id.
class Embedding {
 public:
  // The rows come out as `dtype`.
  Embedding(Weight weight, Dtype dtype) : weight_(std::move(weight)), dtype_(dtype) {}

  array operator()(const array& ids) const { return weight_.take_rows(ids, dtype_); }  // [...] -> [..., K]

  const Weight& weight() const { return weight_; }

 private:
  Weight weight_;
  Dtype dtype_;
};

// x / sqrt(mean(x^2) + eps) * weight over the last axis.
class RMSNorm {
 public:
  RMSNorm(array weight, float eps) : weight_(std::move(weight)), eps_(eps) {}

  array operator()(const array& x) const;

  const array& weight() const { return weight_; }

 private:
  array weight_;
  float eps_;
};

}  // namespace plimsoll::nn
