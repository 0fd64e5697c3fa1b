// Evaluation and function transforms, as MLX names them.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "plimsoll/array.h"

namespace plimsoll {

template <typename... T>
using enable_for_arrays_t = std::enable_if_t<(std::is_same_v<array, std::remove_cvref_t<T>> && ...)>;

// Encodes what makes the values and returns; reading an array waits for it. Throws OutOfMemory when the memory limit
// refuses: nodes encoded before are good, the rest stay lazy.
void async_eval(std::vector<array> outputs);

template <typename... Arrays, typename = enable_for_arrays_t<Arrays...>>
void async_eval(Arrays&&... outputs) {
  async_eval(std::vector<array>{std::forward<Arrays>(outputs)...});
}

// Makes the values and waits for them. Throws also what the work itself failed with.
void eval(std::vector<array> outputs);

template <typename... Arrays, typename = enable_for_arrays_t<Arrays...>>
void eval(Arrays&&... outputs) {
  eval(std::vector<array>{std::forward<Arrays>(outputs)...});
}

using VectorFunction = std::function<std::vector<array>(const std::vector<array>&)>;

// The outputs of `fun` at `primals` and the vector-Jacobian products with `cotangents`, one for each output.
std::pair<std::vector<array>, std::vector<array>> vjp(const VectorFunction& fun, const std::vector<array>& primals,
                                                      const std::vector<array>& cotangents);
std::pair<array, array> vjp(const std::function<array(const array&)>& fun, const array& primal, const array& cotangent);

using ValueAndGradFn = std::function<std::pair<std::vector<array>, std::vector<array>>(const std::vector<array>&)>;
using SimpleValueAndGradFn = std::function<std::pair<array, std::vector<array>>(const std::vector<array>&)>;

// A function that returns the outputs of `fun` and the gradients of its first output, which must be a scalar, with
// respect to the arguments in `argnums`. Throws std::invalid_argument for argument numbers out of range or repeated,
// and for a first output that is not a scalar.
ValueAndGradFn value_and_grad(const VectorFunction& fun, const std::vector<int>& argnums);

inline ValueAndGradFn value_and_grad(const VectorFunction& fun, int argnum = 0) {
  return value_and_grad(fun, std::vector<int>{argnum});
}

std::function<std::pair<array, array>(const array&)> value_and_grad(const std::function<array(const array&)>& fun);

SimpleValueAndGradFn value_and_grad(const std::function<array(const std::vector<array>&)>& fun,
                                    const std::vector<int>& argnums);

inline SimpleValueAndGradFn value_and_grad(const std::function<array(const std::vector<array>&)>& fun, int argnum = 0) {
  return value_and_grad(fun, std::vector<int>{argnum});
}

VectorFunction grad(const std::function<array(const std::vector<array>&)>& fun, const std::vector<int>& argnums);

inline VectorFunction grad(const std::function<array(const std::vector<array>&)>& fun, int argnum = 0) {
  return grad(fun, std::vector<int>{argnum});
}

std::function<array(const array&)> grad(const std::function<array(const array&)>& fun);

}  // namespace plimsoll
