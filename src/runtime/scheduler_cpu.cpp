// Encoding for the CPU: a task, complete in itself, on its stream's queue.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "runtime/runtime.h"
#include "runtime/scheduler.h"

namespace plimsoll::runtime {
namespace {

std::byte* address_of(const Data& data, int64_t offset) {
  return data.buffer.host == nullptr ? nullptr : static_cast<std::byte*>(data.buffer.host) + offset;
}

Tensor describe_array(const array& a, const Layout& layout, std::byte* address) {
  return {address, a.dtype(), a.shape(), layout.strides, a.size(), layout.data_size, layout.flags};
}

void add_wait(SmallVector<memory::Use, 2>& waits, memory::Use use, uint32_t stream) {
  if (use.ticket != 0 && use.stream != stream) waits.push_back(use);
}

}  // namespace

Pause Scheduler::encode_on_cpu(const Node& node, const std::shared_ptr<memory::Pool>& pool) {
  const Primitive& primitive = *node.primitive;
  const cpu::Evaluator* evaluator = runtime_.cpu_table().find(primitive);
  if (evaluator == nullptr) {
    throw std::invalid_argument(std::string("[eval] ") + primitive.name() + " does not run on the CPU");
  }
  sources_.assign(node.inputs.size(), nullptr);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    Pause pause = residence_.bring_to_host(node.inputs[i].data_shared_ptr(), sources_[i]);
    if (pause.any()) return pause;
  }
  CpuStream& stream = runtime_.streams().cpu(primitive.stream().index);
  CpuTask task = describe_cpu(node, *evaluator);
  const std::span<const Tensor> tensors(task.tensors);
  const size_t scratch = evaluator->scratch == nullptr ? 0
                                                       : evaluator->scratch(primitive, tensors.first(task.input_count),
                                                                            tensors.subspan(task.input_count));
  collect_requests(primitive.name(), scratch);
  memory::AcquireResult acquired = pool->acquire(requests_, stream.id(), buffers_);
  if (!acquired.acquired) return {std::move(acquired.wait_for), std::nullopt, nullptr};

  collect_waits(node, acquired, stream.id(), task);
  place_outputs(node, pool);
  for (const NewOutput& out : new_outputs_) {
    const array& output = outputs_[out.output];
    task.tensors[task.input_count + out.output].data = address_of(*output.data_shared_ptr(), output.offset());
  }
  if (scratch > 0) task.scratch = {static_cast<std::byte*>(buffers_.back().host), scratch};
  memory::Use use;
  if (std::any_of(outputs_.begin(), outputs_.end(), [](const array& a) { return a.size() > 0; })) {
    use = stream.submit(std::move(task));
    record_uses(node, use);
  }
  // In encode order, whatever the stream is doing: what reuses the scratch is ordered behind this task.
  if (scratch > 0) pool->release(buffers_.back(), use);
  return {};
}

CpuTask Scheduler::describe_cpu(const Node& node, const cpu::Evaluator& evaluator) const {
  CpuTask task;
  task.primitive = node.primitive;
  task.run = evaluator.run;
  task.input_count = node.inputs.size();
  task.tensors.reserve(node.inputs.size() + outputs_.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const array& input = node.inputs[i];
    task.tensors.push_back(describe_array(input, input.desc().layout, address_of(*sources_[i], input.offset())));
    if (sources_[i]->written.ticket != 0) task.depends.push_back(sources_[i]->written);
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    task.tensors.push_back(describe_array(outputs_[i], plans_[i].layout, nullptr));
  }
  return task;
}

void Scheduler::collect_waits(const Node& node, const memory::AcquireResult& acquired, uint32_t stream,
                              CpuTask& task) const {
  for (const memory::Use& use : acquired.order_after) add_wait(task.waits, use, stream);
  for (const memory::Use& use : task.depends) add_wait(task.waits, use, stream);
  for (const NewOutput& out : new_outputs_) {
    if (out.donor < 0) continue;
    // Its readers on other streams must be done before it is overwritten.
    for (const memory::Use& use : node.inputs[out.donor].data_shared_ptr()->last_uses)
      add_wait(task.waits, use, stream);
  }
}

}  // namespace plimsoll::runtime
