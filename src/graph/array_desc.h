// The state behind array handles.
//
// A Node is an operation in the graph: a primitive with its inputs. Arrays own their node; a node knows its output
// arrays weakly, so that there are no cycles and an output that nobody holds costs nothing. Chains of a million nodes
// are destroyed without recursion.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "plimsoll/array.h"
#include "graph/data.h"
#include "graph/layout.h"
#include "graph/primitive.h"

namespace plimsoll {

struct Node {
  struct Output {
    Shape shape;
    Dtype dtype;
    std::weak_ptr<ArrayDesc> desc;
  };

  Node(std::shared_ptr<Primitive> node_primitive, std::vector<array> node_inputs);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  std::shared_ptr<Primitive> primitive;
  std::vector<array> inputs;
  std::vector<Output> outputs;
  uint64_t visit = 0;  // mark of the last traversal; guarded by the scheduling lock
};

// The array of output `index` of the node: the one that exists, or a new one if nobody holds it any more.
array node_output(const std::shared_ptr<Node>& node, int index);

// How many nodes live, for MemoryStats.
size_t live_node_count() noexcept;

struct ArrayDesc {
  ArrayDesc(Shape array_shape, Dtype array_dtype);
  ~ArrayDesc();
  ArrayDesc(const ArrayDesc&) = delete;
  ArrayDesc& operator=(const ArrayDesc&) = delete;

  Shape shape;
  Dtype dtype;
  size_t size;
  std::atomic<array::Status> status{array::unscheduled};
  std::atomic<bool> tracer{false};
  int position = 0;
  std::shared_ptr<Node> node;  // null for data and for what was evaluated and detached

  // Set when evaluated, under the scheduling lock, before `status` says so.
  std::shared_ptr<Data> data;
  Layout layout;
};

}  // namespace plimsoll
