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
#include "gpu/submission_policy.h"
#include "gpu/table.h"
#include "graph/array_desc.h"
#include "graph/primitive.h"
#include "memory/pool.h"
#include "runtime/cpu_stream.h"
#include "runtime/gpu_device.h"
#include "runtime/pause.h"
#include "runtime/residence.h"

namespace plimsoll::runtime {

class Runtime;

class Scheduler {
 public:
  explicit Scheduler(Runtime& runtime) : runtime_(runtime) {}

  // Encodes everything that `outputs` need, and sends it. Throws OutOfMemory, LaunchBudgetError, DeviceError and
  // std::invalid_argument (no evaluator for the device); nodes encoded before are good then, the rest stay lazy.
  void encode(const std::vector<array>& outputs);

  // The array's bytes where the host can read them, and the work that puts them there.
  Data& bring_to_host(const std::shared_ptr<Data>& data);

 private:
  // A new output of the node being encoded: a buffer to acquire, or an input's to take over.
  struct NewOutput {
    int output;
    int donor;  // input index; -1: none
  };

  void order(const std::vector<array>& outputs);

  // Encodes until a node needs a pause.
  Pause encode_until_pause(const std::vector<array>& outputs);
  // With a pause nothing has happened.
  Pause encode_node(Node& node);

  // Its steps, in order, over outputs_ and plans_.
  void collect_outputs(const Node& node);
  void plan_outputs(const Node& node);
  void choose_donors(const Node& node, bool keeps_graph, const memory::Pool* pool);
  void share_views(const Node& node);

  // On the CPU (scheduler_cpu.cpp), and on a GPU (scheduler_gpu.cpp): each reserves what the node needs, and queues its
  // work. collect_requests says whether the last request is scratch.
  Pause encode_on_cpu(const Node& node, const std::shared_ptr<memory::Pool>& pool);
  CpuTask describe_cpu(const Node& node, const cpu::Evaluator& evaluator) const;
  void collect_waits(const Node& node, const memory::AcquireResult& acquired, uint32_t stream, CpuTask& task) const;
  Pause encode_on_gpu(const Node& node, GpuDevice& device);
  GpuDevice& use_gpu(int index);
  void describe_gpu(const Node& node);
  void stage(const Node& node, const gpu::Evaluator& evaluator, GpuDevice& device, size_t scratch_bytes);
  memory::Use record(const Node& node, GpuDevice& device, const memory::AcquireResult& acquired);

  // For both.
  void collect_requests(const char* origin, size_t scratch_bytes);
  void place_outputs(const Node& node, const std::shared_ptr<memory::Pool>& pool);
  void record_uses(const Node& node, memory::Use use);

  // Takes a pause, holding no lock.
  void take(Pause& pause);

  // Sends what is open on the devices in gpus_.
  void commit_gpus() noexcept;

  Runtime& runtime_;
  std::mutex mutex_;
  Residence residence_{runtime_};  // guarded by mutex_

  // Work space of encode, kept to spare allocations; guarded by mutex_.
  uint64_t visit_ = 0;
  std::vector<std::pair<Node*, size_t>> stack_;
  std::vector<Node*> order_;
  std::vector<array> outputs_;
  std::vector<OutputPlan> plans_;
  std::vector<NewOutput> new_outputs_;
  std::vector<memory::Request> requests_;
  std::vector<memory::Buffer> buffers_;
  std::vector<Data*> sources_;  // per input, where its bytes are for the device at hand
  std::vector<Tensor> tensors_;
  std::vector<memory::Use> host_waits_;
  std::vector<memory::Use> depends_;
  std::vector<gpu::TouchedArray> touched_;
  std::vector<GpuDevice*> gpus_;  // with work that this encode recorded
};

}  // namespace plimsoll::runtime
