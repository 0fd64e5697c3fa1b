#include "graph/primitive.h"

#include <stdexcept>

#include "graph/array_desc.h"

namespace plimsoll {
namespace {

[[noreturn]] void no_rule(const Primitive& primitive, const char* transform) {
  throw std::invalid_argument(std::string("[") + transform + "] " + primitive.name() + " has no " + transform +
                              " rule");
}

// Whether an elementwise output over `shape` may be laid out slot for slot as this input.
bool can_lend_layout(const array& input, const Shape& shape) {
  return input.flags().contiguous && input.shape() == shape;
}

// An output that keeps every slot of a broadcast input would need fewer slots than elements: only dense inputs lend.
bool is_dense(const array& input) { return input.data_size() == input.size(); }

}  // namespace

void Primitive::plan(std::span<const array>, std::span<const array>, std::span<OutputPlan>) const {}

std::vector<array> Primitive::vjp(const std::vector<array>&, const std::vector<array>&, const std::vector<int>&,
                                  const std::vector<array>&) {
  no_rule(*this, "vjp");
}

std::vector<array> Primitive::jvp(const std::vector<array>&, const std::vector<array>&, const std::vector<int>&) {
  no_rule(*this, "jvp");
}

std::pair<std::vector<array>, std::vector<int>> Primitive::vmap(const std::vector<array>&, const std::vector<int>&) {
  no_rule(*this, "vmap");
}

bool Primitive::is_equivalent(const Primitive&) const { return false; }

void plan_elementwise(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) {
  for (size_t k = 0; k < outputs.size(); ++k) {
    OutputPlan& plan = plans[k];
    const array* model = nullptr;
    for (const array& input : inputs) {
      if (can_lend_layout(input, outputs[k].shape()) && is_dense(input)) {
        model = &input;
        break;
      }
    }
    if (model == nullptr) continue;
    plan.layout.strides = model->strides();
    plan.layout.data_size = model->data_size();
    plan.layout.flags = model->flags();
    for (size_t i = 0; i < inputs.size(); ++i) {
      const array& input = inputs[i];
      if (input.itemsize() == outputs[k].itemsize() && can_lend_layout(input, outputs[k].shape()) && is_dense(input) &&
          input.strides() == plan.layout.strides) {
        plan.donors.push_back(static_cast<int>(i));
      }
    }
  }
}

void plan_view(const array& output, const Strides& strides, int64_t offset_bytes, OutputPlan& plan) {
  plan.view_of = 0;
  plan.layout.strides = strides;
  plan.layout.offset = offset_bytes;
  plan.layout.data_size = strided_extent(output.shape(), strides);
  plan.layout.flags = layout_flags(output.shape(), strides, plan.layout.data_size);
}

}  // namespace plimsoll
