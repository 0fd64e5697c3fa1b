// A primitive describes one operation of the graph: its parameters, what its outputs look like, and its derivatives. It
// does not know how it runs: the evaluators of a device do (cpu/table.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/array.h"
#include "graph/layout.h"

namespace plimsoll {

// What evaluation is to do for one output; filled in by Primitive::plan.
struct OutputPlan {
  // A view shares the buffer of inputs[view_of] with `layout`; nothing runs for it. When every output is a view, no
  // evaluator is called at all. -1: not a view.
  int view_of = -1;

  // For a new output: the inputs whose buffer it may take over, in order of preference. An evaluator sees that one was
  // taken by Tensor::data being the input's. The layout then is the one below, so an input belongs here only if writing
  // the output in that layout over the input's slots is safe for the evaluator.
  SmallVector<int> donors;

  // Strides in elements; for a view the offset is in bytes relative to the input's element [0, 0, ...], for a new
  // output it is 0.
  Layout layout;
};

class Primitive {
 public:
  explicit Primitive(Stream stream) : stream_(stream) {}
  virtual ~Primitive() = default;
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;

  const Stream& stream() const { return stream_; }
  const Device& device() const { return stream_.device; }

  // The name that errors, profiles and refusals print, as in MLX: "Add", "Softmax".
  virtual const char* name() const = 0;

  // Decides, from the layouts of the evaluated inputs, what each output is. `outputs[i].layout` comes in as row-major
  // for the output's shape, which is the right answer for most primitives. Must not depend on who owns what.
  virtual void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const;

  // Vector-Jacobian product: the cotangents of primals[argnums[i]], given one cotangent per output. `outputs` are the
  // primitive's outputs for these primals. Throws std::invalid_argument naming the primitive when it has no rule.
  virtual std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                 const std::vector<int>& argnums, const std::vector<array>& outputs);

  // Jacobian-vector product: the tangents of the outputs, given tangents[i] of primals[argnums[i]].
  virtual std::vector<array> jvp(const std::vector<array>& primals, const std::vector<array>& tangents,
                                 const std::vector<int>& argnums);

  // The operation over a batch: axes[i] is the batch axis of inputs[i], or -1. Returns outputs and their batch axes.
  virtual std::pair<std::vector<array>, std::vector<int>> vmap(const std::vector<array>& inputs,
                                                               const std::vector<int>& axes);

  // Whether `other`, of the same class and on the same stream, computes the same from the same inputs.
  virtual bool is_equivalent(const Primitive& other) const;

 private:
  Stream stream_;
};

// Plan of an element-by-element operation on inputs of one shape: keeps the memory order of a contiguous input, and
// takes over the buffer of an input with the output's item size and order.
void plan_elementwise(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans);

// Makes output 0 a view of input 0 with the strides and byte offset given.
void plan_view(const array& output, const Strides& strides, int64_t offset_bytes, OutputPlan& plan);

}  // namespace plimsoll
