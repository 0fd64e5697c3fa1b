// The rows of attention's operands as the kernels want them: of any floating dtype and strides, widened to float32 (or
// float64). Compiled once per target.

// Highway's toggle instead of an include guard: the file is read again for every target.
#if defined(PLIMSOLL_CPU_ATTENTION_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLIMSOLL_CPU_ATTENTION_ROWS_INL_H_
#undef PLIMSOLL_CPU_ATTENTION_ROWS_INL_H_
#else
#define PLIMSOLL_CPU_ATTENTION_ROWS_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "cpu/attention_kernel.h"
#include "cpu/attention_plan.h"
#include "cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename C>
struct TileRows {
  const C* data = nullptr;
  int64_t stride = 0;
};

// Calls f with a value of each row's element type.
template <typename C, typename F>
HWY_INLINE void dispatch_rows(Dtype dtype, F f) {
  if constexpr (std::is_same_v<C, double>) {
    f(double{});
  } else {
    if (dtype == float32) return f(float{});
    if (dtype == float16) return f(float16_t{});
    f(bfloat16_t{});
  }
}

template <typename C, typename T>
HWY_INLINE void widen_row(const T* from, int64_t stride, int64_t count, C* to) {
  if (stride != 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<C>(from[i * stride]);
    return;
  }
  const hn::ScalableTag<C> d;
  for_vectors(d, count,
              [&](int64_t i, int64_t n) HWY_ATTR { store_part(d, load_part(d, from, i, n, T(0)), to, i, n); });
}

// The query rows that share one key/value head. Row r is query r / group of query head kv_head * group + r % group.
struct HeadRows {
  const Attention* problem;
  int64_t batch;
  int64_t kv_head;
  int64_t group;  // query heads that share the key/value head

  int64_t row_count() const { return problem->queries * group; }
  int64_t query_of(int64_t row) const { return row / group; }
  int64_t head_of(int64_t row) const { return kv_head * group + row % group; }

  // How many keys the row sees, from the first on, as far as causality goes.
  int64_t visible_keys(int64_t row) const {
    if (!problem->causal) return problem->keys;
    return std::clamp<int64_t>(problem->keys - problem->queries + query_of(row) + 1, 0, problem->keys);
  }

  // Writes the scaled query of a row to to[0], to[step], ...
  template <typename C>
  void query(int64_t row, C* to, int64_t step) const {
    const int64_t* strides = problem->q.strides;
    const int64_t start = batch * strides[0] + head_of(row) * strides[1] + query_of(row) * strides[2];
    dispatch_rows<C>(problem->dtype, [&](auto element) {
      const auto* from = reinterpret_cast<const decltype(element)*>(problem->q.data) + start;
      const C scale = static_cast<C>(problem->scale);
      for (int64_t c = 0; c < problem->dim; ++c) to[c * step] = static_cast<C>(from[c * strides[3]]) * scale;
    });
  }

  // Rows [first, first + count) of the keys or values, in place where they are of type C, else widened into `copy`.
  template <typename C>
  TileRows<C> keys(int64_t first, int64_t count, C* copy) const {
    return rows(problem->k, first, count, problem->dim, copy);
  }
  template <typename C>
  TileRows<C> values(int64_t first, int64_t count, C* copy) const {
    return rows(problem->v, first, count, problem->value_dim, copy);
  }

  template <typename C>
  TileRows<C> rows(const AttentionOperand& operand, int64_t first, int64_t count, int64_t columns, C* copy) const {
    const int64_t* strides = operand.strides;
    const int64_t start = batch * strides[0] + kv_head * strides[1] + first * strides[2];
    TileRows<C> tile{copy, columns};
    dispatch_rows<C>(problem->dtype, [&](auto element) {
      const auto* from = reinterpret_cast<const decltype(element)*>(operand.data) + start;
      if constexpr (std::is_same_v<decltype(element), C>) {
        if (strides[3] == 1) {
          tile = {from, strides[2]};
          return;
        }
      }
      for (int64_t j = 0; j < count; ++j) widen_row(from + j * strides[2], strides[3], columns, copy + j * columns);
    });
    return tile;
  }

  // Applies the mask array to a row's scores of keys [first, first + count), which lie `step` apart.
  template <typename C>
  void mask(int64_t row, int64_t first, int64_t count, C* scores, int64_t step) const {
    const AttentionOperand& operand = problem->mask;
    const int64_t* strides = operand.strides;
    const int64_t start =
        batch * strides[0] + head_of(row) * strides[1] + query_of(row) * strides[2] + first * strides[3];
    if (problem->mask_dtype == bool_) {
      const bool* seen = reinterpret_cast<const bool*>(operand.data) + start;
      for (int64_t j = 0; j < count; ++j) {
        if (!seen[j * strides[3]]) scores[j * step] = -std::numeric_limits<C>::infinity();
      }
      return;
    }
    dispatch_rows<C>(problem->mask_dtype, [&](auto element) {
      const auto* added = reinterpret_cast<const decltype(element)*>(operand.data) + start;
      for (int64_t j = 0; j < count; ++j) scores[j * step] += static_cast<C>(added[j * strides[3]]);
    });
  }

  // Writes a row of the output, sums / total; zeros where no key was seen.
  template <typename C>
  void write(int64_t row, const C* sums, C total) const {
    const int64_t* strides = problem->out_strides;
    const int64_t start = batch * strides[0] + head_of(row) * strides[1] + query_of(row) * strides[2];
    dispatch_rows<C>(problem->dtype, [&](auto element) {
      auto* to = reinterpret_cast<decltype(element)*>(problem->out) + start;
      const hn::ScalableTag<C> d;
      const auto divisor = hn::Set(d, total);
      const auto unseen = hn::Eq(divisor, hn::Zero(d));
      for_vectors(d, problem->value_dim, [&](int64_t i, int64_t n) HWY_ATTR {
        const auto value = hn::Div(load_part(d, sums, i, n, C{0}), divisor);
        store_part(d, hn::IfThenZeroElse(unseen, value), to, i, n);
      });
    });
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#endif  // toggle
