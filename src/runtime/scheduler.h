// Turns lazy arrays into work on streams: orders the graph, decides for each node which outputs are views, donated or
// new, reserves all memory that the node needs, and encodes it.
//
// One lock covers ordering, donation, detaching and encoding. It is let go while an evaluation waits for memory; what
// is still to do is then read anew, because others may have done part of it.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "plimsoll/array.h"
#include "cpu/table.h"
#include "graph/array_desc.h"
#include "graph/primitive.h"
#include "memory/pool.h"
#include "runtime/cpu_stream.h"

namespace plimsoll::runtime {

class Runtime;

class Scheduler {
 public:
  explicit Scheduler(Runtime& runtime) : runtime_(runtime) {}

  // Encodes everything that `outputs` need. Throws OutOfMemory and std::invalid_argument (no evaluator for the device);
  // nodes encoded before are good then, the rest stay lazy.
  void encode(const std::vector<array>& outputs);

 private:
  // A new output of the node being encoded: a buffer to acquire, or an input's to take over.
  struct NewOutput {
    int output;
    int donor;  // input index; -1: none
  };

  void order(const std::vector<array>& outputs);

  // Returns the uses to wait for when memory is not free yet; empty when the node was encoded.
  std::vector<memory::Use> encode_node(Node& node);

  // Its steps, in order, over outputs_ and plans_.
  void collect_outputs(const Node& node);
  void plan_outputs(const Node& node);
  void choose_donors(const Node& node, bool keeps_graph);
  std::vector<memory::Use> encode_work(const Node& node);  // what to wait for, as encode_node
  void share_views(const Node& node);

  // The steps of encode_work. collect_requests says whether the last request is scratch.
  bool collect_requests(const CpuTask& task, const cpu::Evaluator& evaluator);
  void place_outputs(const Node& node, CpuTask& task);
  void record_uses(const Node& node, memory::Use use);
  CpuTask describe(const Node& node, const cpu::Evaluator& evaluator) const;
  void collect_waits(const Node& node, const memory::AcquireResult& acquired, uint32_t stream, CpuTask& task) const;

  Runtime& runtime_;
  std::mutex mutex_;

  // Work space of encode, kept to spare allocations; guarded by mutex_.
  uint64_t visit_ = 0;
  std::vector<std::pair<Node*, size_t>> stack_;
  std::vector<Node*> order_;
  std::vector<array> outputs_;
  std::vector<OutputPlan> plans_;
  std::vector<NewOutput> new_outputs_;
  std::vector<memory::Request> requests_;
  std::vector<memory::Buffer> buffers_;
};

}  // namespace plimsoll::runtime
