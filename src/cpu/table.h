// The evaluators of the CPU: for each primitive class, the function that runs it.
//
// A family's file (softmax.cpp) registers its primitives in a function declared in cpu/register.h, e.g.
//   void register_softmax(Table& table) { table.add<Softmax>(eval_softmax, softmax_scratch); }
#pragma once

#include <cstddef>
#include <span>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>

#include "graph/primitive.h"
#include "graph/tensor.h"

namespace plimsoll::cpu {

// What an evaluator works on. Outputs that took over an input's buffer have that input's data pointer. Everything was
// reserved before: evaluators never allocate memory that grows with their operands.
struct Task {
  std::span<const Tensor> inputs;
  std::span<const Tensor> outputs;
  std::span<std::byte> scratch;  // 64-byte aligned; uninitialized
};

// Runs on the stream's worker; parallel through base/parallel.h. An exception marks the outputs as failed: every read
// of them, and of what is made of them, throws it.
using RunFunction = void (*)(const Primitive&, const Task&);

// Bytes of scratch that a run needs, from dtypes, shapes and strides alone (data pointers are null).
using ScratchFunction = size_t (*)(const Primitive&, std::span<const Tensor> inputs, std::span<const Tensor> outputs);

struct Evaluator {
  RunFunction run;
  ScratchFunction scratch;  // null: none
};

class Table {
 public:
  template <typename P>
  void add(RunFunction run, ScratchFunction scratch = nullptr) {
    evaluators_.insert_or_assign(std::type_index(typeid(P)), Evaluator{run, scratch});
  }

  // Null when the primitive has no evaluator here.
  const Evaluator* find(const Primitive& primitive) const {
    const auto found = evaluators_.find(std::type_index(typeid(primitive)));
    return found == evaluators_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::type_index, Evaluator> evaluators_;
};

// Fills the table with every primitive that the CPU can run.
void register_all(Table& table);

}  // namespace plimsoll::cpu
