// Reverse-mode differentiation: the function is traced by running it on copies of the primals that are marked, then the
// graph is walked backwards and cotangents are summed where paths meet.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"
#include "graph/array_desc.h"
#include "graph/tracing.h"

namespace plimsoll {
namespace {

using CotangentMap = std::unordered_map<std::uintptr_t, array>;

std::vector<array> mark_primals(const std::vector<array>& primals, const std::vector<int>& argnums) {
  std::vector<array> marked = primals;
  for (const int argnum : argnums) {
    marked[argnum] = copy(primals[argnum]);
    marked[argnum].set_tracer(true);
  }
  return marked;
}

// Everything from the marked primals (`ends`, included) to the outputs, inputs first. What lies before the primals
// belongs to an outer transform. A node with several outputs appears once, by the array that was reached.
class Tape {
 public:
  Tape(const std::vector<array>& outputs, const std::unordered_set<std::uintptr_t>& ends) : ends_(ends) {
    for (const array& output : outputs) visit(output);
  }

  const std::vector<array>& order() const { return order_; }

 private:
  void visit(const array& root) {
    std::vector<std::pair<array, size_t>> stack;
    const auto push = [&](const array& a) {
      if (!a.is_tracer() || !a.has_primitive()) return;
      if (seen_.insert(node_key(a)).second) stack.emplace_back(a, 0);
    };
    push(root);
    while (!stack.empty()) {
      auto& [a, next] = stack.back();
      if (next == a.inputs().size() || ends_.contains(a.id())) {
        order_.push_back(a);
        stack.pop_back();
      } else {
        const array input = a.inputs()[next++];
        push(input);
      }
    }
  }

  static const Node* node_key(const array& a) { return a.desc().node.get(); }

  const std::unordered_set<std::uintptr_t>& ends_;
  std::unordered_set<const Node*> seen_;
  std::vector<array> order_;
};

void accumulate(CotangentMap& cotangents, const array& target, const array& value) {
  const auto [known, is_new] = cotangents.try_emplace(target.id(), value);
  if (!is_new)
    known->second = add(known->second, value, target.has_primitive() ? target.primitive().stream() : to_stream({}));
}

// The cotangents of a node's outputs, zeros where nothing depends on one; empty when nothing depends on any.
std::vector<array> take_cotangents(CotangentMap& cotangents, const std::vector<array>& outputs, Stream stream) {
  const bool any =
      std::any_of(outputs.begin(), outputs.end(), [&](const array& a) { return cotangents.contains(a.id()); });
  if (!any) return {};
  std::vector<array> taken;
  for (const array& output : outputs) {
    const auto found = cotangents.find(output.id());
    if (found == cotangents.end()) {
      taken.push_back(zeros_like(output, stream));
    } else {
      taken.push_back(std::move(found->second));
      cotangents.erase(found);
    }
  }
  return taken;
}

void propagate(const array& a, const std::unordered_set<std::uintptr_t>& ends, CotangentMap& cotangents) {
  if (ends.contains(a.id())) return;
  const std::vector<array> outputs = a.outputs();
  Primitive& primitive = a.primitive();
  const std::vector<array> received = take_cotangents(cotangents, outputs, primitive.stream());
  if (received.empty()) return;
  std::vector<int> argnums;
  for (size_t i = 0; i < a.inputs().size(); ++i) {
    if (a.inputs()[i].is_tracer()) argnums.push_back(static_cast<int>(i));
  }
  const std::vector<array> products = primitive.vjp(a.inputs(), received, argnums, outputs);
  for (size_t k = 0; k < argnums.size(); ++k) accumulate(cotangents, a.inputs()[argnums[k]], products[k]);
}

void check_cotangents(const std::vector<array>& outputs, const std::vector<array>& cotangents) {
  if (outputs.size() != cotangents.size()) {
    throw std::invalid_argument("[vjp] " + std::to_string(cotangents.size()) + " cotangents for " +
                                std::to_string(outputs.size()) + " outputs; one is needed for each");
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].shape() != cotangents[i].shape()) {
      throw std::invalid_argument("[vjp] cotangent " + std::to_string(i) + " has another shape than its output");
    }
  }
}

using Cotangents = std::function<std::vector<array>(const std::vector<array>& outputs)>;

std::pair<std::vector<array>, std::vector<array>> vjp_of(const VectorFunction& fun, const std::vector<array>& primals,
                                                         const std::vector<int>& argnums, const Cotangents& make) {
  const tracing::Scope scope;
  std::vector<array> marked = mark_primals(primals, argnums);
  std::vector<array> outputs = fun(marked);
  const std::vector<array> cotangents = make(outputs);
  check_cotangents(outputs, cotangents);

  std::unordered_set<std::uintptr_t> ends;
  for (const int argnum : argnums) ends.insert(marked[argnum].id());
  const Tape tape(outputs, ends);
  CotangentMap map;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].is_tracer()) accumulate(map, outputs[i], cotangents[i]);
  }
  const std::vector<array>& order = tape.order();
  for (size_t i = order.size(); i-- > 0;) propagate(order[i], ends, map);

  std::vector<array> gradients;
  for (const int argnum : argnums) {
    const auto found = map.find(marked[argnum].id());
    gradients.push_back(found == map.end() ? zeros_like(primals[argnum]) : found->second);
  }
  // The traced arrays live on in outputs and gradients; they are ordinary from here on, unless an outer transform
  // traces the primals themselves.
  for (const array& a : order) {
    const bool outer =
        std::any_of(a.inputs().begin(), a.inputs().end(), [](const array& in) { return in.is_tracer(); });
    for (array output : a.outputs()) output.set_tracer(outer);
  }
  return {std::move(outputs), std::move(gradients)};
}

std::vector<int> all_arguments(size_t count) {
  std::vector<int> argnums(count);
  for (size_t i = 0; i < count; ++i) argnums[i] = static_cast<int>(i);
  return argnums;
}

std::vector<int> checked_argnums(const std::vector<int>& argnums, size_t count) {
  if (argnums.empty()) throw std::invalid_argument("[grad] no argument number was given");
  std::vector<int> checked;
  for (const int argnum : argnums) {
    const int index = argnum < 0 ? argnum + static_cast<int>(count) : argnum;
    if (index < 0 || index >= static_cast<int>(count)) {
      throw std::invalid_argument("[grad] argument number " + std::to_string(argnum) + " is out of range for " +
                                  std::to_string(count) + " arguments");
    }
    if (std::find(checked.begin(), checked.end(), index) != checked.end()) {
      throw std::invalid_argument("[grad] argument number " + std::to_string(argnum) + " is repeated");
    }
    checked.push_back(index);
  }
  return checked;
}

// One for the first output, which must be a scalar, zeros for the rest.
std::vector<array> unit_cotangents(const std::vector<array>& outputs) {
  if (outputs.empty() || outputs[0].size() != 1 || outputs[0].ndim() != 0) {
    throw std::invalid_argument("[grad] the first output of a function to differentiate must be a scalar");
  }
  std::vector<array> cotangents;
  for (size_t i = 0; i < outputs.size(); ++i) {
    cotangents.push_back(i == 0 ? ones_like(outputs[0]) : zeros_like(outputs[i]));
  }
  return cotangents;
}

VectorFunction as_vector(const std::function<array(const array&)>& fun) {
  return [fun](const std::vector<array>& in) { return std::vector<array>{fun(in[0])}; };
}

VectorFunction as_vector(const std::function<array(const std::vector<array>&)>& fun) {
  return [fun](const std::vector<array>& in) { return std::vector<array>{fun(in)}; };
}

}  // namespace

std::pair<std::vector<array>, std::vector<array>> vjp(const VectorFunction& fun, const std::vector<array>& primals,
                                                      const std::vector<array>& cotangents) {
  return vjp_of(fun, primals, all_arguments(primals.size()), [&](const std::vector<array>&) { return cotangents; });
}

std::pair<array, array> vjp(const std::function<array(const array&)>& fun, const array& primal,
                            const array& cotangent) {
  auto [outputs, gradients] = vjp(as_vector(fun), {primal}, {cotangent});
  return {outputs[0], gradients[0]};
}

ValueAndGradFn value_and_grad(const VectorFunction& fun, const std::vector<int>& argnums) {
  return [fun, argnums](const std::vector<array>& inputs) {
    return vjp_of(fun, inputs, checked_argnums(argnums, inputs.size()), unit_cotangents);
  };
}

std::function<std::pair<array, array>(const array&)> value_and_grad(const std::function<array(const array&)>& fun) {
  const ValueAndGradFn vector_fun = value_and_grad(as_vector(fun), std::vector<int>{0});
  return [vector_fun](const array& input) {
    auto [values, gradients] = vector_fun({input});
    return std::pair<array, array>(values[0], gradients[0]);
  };
}

SimpleValueAndGradFn value_and_grad(const std::function<array(const std::vector<array>&)>& fun,
                                    const std::vector<int>& argnums) {
  const ValueAndGradFn vector_fun = value_and_grad(as_vector(fun), argnums);
  return [vector_fun](const std::vector<array>& inputs) {
    auto [values, gradients] = vector_fun(inputs);
    return std::pair<array, std::vector<array>>(values[0], gradients);
  };
}

VectorFunction grad(const std::function<array(const std::vector<array>&)>& fun, const std::vector<int>& argnums) {
  const SimpleValueAndGradFn both = value_and_grad(fun, argnums);
  return [both](const std::vector<array>& inputs) { return both(inputs).second; };
}

std::function<array(const array&)> grad(const std::function<array(const array&)>& fun) {
  const auto both = value_and_grad(fun);
  return [both](const array& input) { return both(input).second; };
}

}  // namespace plimsoll
