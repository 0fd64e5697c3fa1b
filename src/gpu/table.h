// The evaluators of the GPU: for each primitive class, the function that stages its launches.
//
// A family's file (families/softmax.cpp) registers its primitives in a function declared in gpu/register.h, e.g.
//   void register_softmax(Table& table) { table.add<Softmax>(encode_softmax, softmax_scratch); }
#pragma once

#include <cstddef>
#include <span>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>

#include "gpu/task.h"
#include "graph/primitive.h"

namespace plimsoll::gpu {

// Stages launches in task.plan. Called under the scheduling lock: microseconds. May be called again for the same
// operation (a kernel was missing). Throws std::invalid_argument naming the primitive for what the device cannot do.
using EncodeFunction = void (*)(const Primitive&, Task&);

// Bytes of scratch that an operation needs, from dtypes, shapes and strides alone (data pointers are null).
using ScratchFunction = size_t (*)(const Primitive&, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                                   const hal::DeviceInfo& device);

struct Evaluator {
  EncodeFunction encode;
  ScratchFunction scratch;  // null: none
};

class Table {
 public:
  template <typename P>
  void add(EncodeFunction encode, ScratchFunction scratch = nullptr) {
    evaluators_.insert_or_assign(std::type_index(typeid(P)), Evaluator{encode, scratch});
  }

  // Null when the primitive has no evaluator here.
  const Evaluator* find(const Primitive& primitive) const {
    const auto found = evaluators_.find(std::type_index(typeid(primitive)));
    return found == evaluators_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::type_index, Evaluator> evaluators_;
};

// Fills the table with every primitive that a GPU can run.
void register_all(Table& table);

}  // namespace plimsoll::gpu
