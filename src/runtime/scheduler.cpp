#include "runtime/scheduler.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "runtime/runtime.h"

namespace plimsoll::runtime {
namespace {

// A buffer larger than its new owner needs is taken over only up to this waste.
constexpr size_t kDonationSlack = 16 << 10;  // bytes

std::byte* address_of(const Data& data, int64_t offset) {
  return data.buffer.host == nullptr ? nullptr : static_cast<std::byte*>(data.buffer.host) + offset;
}

Tensor describe_array(const array& a, const Layout& layout, std::byte* address) {
  return {address, a.dtype(), a.shape(), layout.strides, a.size(), layout.data_size, layout.flags};
}

// Nothing else holds the array or its buffer: no handle, no view, no consumer still to be encoded.
bool is_owned_alone(const array& a) { return a.desc_ptr().use_count() == 1 && a.data_shared_ptr().use_count() == 1; }

bool can_donate(const array& input, const array& output, const Layout& layout) {
  const Data& data = *input.data_shared_ptr();
  const size_t needed = layout.data_size * output.itemsize();
  return data.kind == Data::Kind::kOwned && input.itemsize() == output.itemsize() && is_owned_alone(input) &&
         input.data_size() >= layout.data_size && data.buffer.bytes <= needed + kDonationSlack;
}

void add_last_use(Data& data, memory::Use use) {
  for (memory::Use& known : data.last_uses) {
    if (known.stream == use.stream) {
      known.ticket = use.ticket;
      return;
    }
  }
  data.last_uses.push_back(use);
}

void add_wait(SmallVector<memory::Use, 2>& waits, memory::Use use, uint32_t stream) {
  if (use.ticket != 0 && use.stream != stream) waits.push_back(use);
}

void finish(ArrayDesc& desc, std::shared_ptr<Data> data, Layout layout) {
  desc.data = std::move(data);
  desc.layout = std::move(layout);
  desc.status.store(array::evaluated, std::memory_order_release);
}

}  // namespace

void Scheduler::encode(const std::vector<array>& outputs) {
  std::vector<memory::Use> wait_for;
  do {
    for (const memory::Use& use : wait_for) runtime_.board().wait(use);
    wait_for.clear();
    const std::lock_guard lock(mutex_);
    order(outputs);
    for (Node* node : order_) {
      wait_for = encode_node(*node);
      if (!wait_for.empty()) break;
    }
  } while (!wait_for.empty());
}

// Depth first, inputs before their consumers, in the order of the input lists.
void Scheduler::order(const std::vector<array>& outputs) {
  order_.clear();
  ++visit_;
  const auto push = [&](const array& a) {
    if (a.status() != array::unscheduled) return;
    Node* node = a.desc().node.get();
    if (node->visit == visit_) return;
    node->visit = visit_;
    stack_.emplace_back(node, 0);
  };
  for (const array& output : outputs) {
    push(output);
    while (!stack_.empty()) {
      auto& [node, next] = stack_.back();
      if (next == node->inputs.size()) {
        order_.push_back(node);
        stack_.pop_back();
      } else {
        push(node->inputs[next++]);
      }
    }
  }
}

std::vector<memory::Use> Scheduler::encode_node(Node& node) {
  struct Clear {
    std::vector<array>& arrays;
    ~Clear() { arrays.clear(); }
  } clear{outputs_};
  collect_outputs(node);
  const bool keeps_graph =
      std::any_of(outputs_.begin(), outputs_.end(), [](const array& output) { return output.is_tracer(); });
  plan_outputs(node);
  choose_donors(node, keeps_graph);

  if (!new_outputs_.empty()) {
    std::vector<memory::Use> wait_for = encode_work(node);
    if (!wait_for.empty()) return wait_for;
  }
  share_views(node);
  if (!keeps_graph) {
    for (const array& output : outputs_) output.desc().node.reset();
  }
  return {};
}

// Some output is held, or the node would not be here; its handle keeps the node and makes those that nobody holds.
void Scheduler::collect_outputs(const Node& node) {
  std::shared_ptr<Node> self;
  for (size_t i = 0; self == nullptr; ++i) {
    if (const std::shared_ptr<ArrayDesc> desc = node.outputs[i].desc.lock()) self = desc->node;
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) outputs_.push_back(node_output(self, static_cast<int>(i)));
}

void Scheduler::plan_outputs(const Node& node) {
  plans_.assign(outputs_.size(), OutputPlan{});
  for (size_t i = 0; i < outputs_.size(); ++i) plans_[i].layout = row_major_layout(outputs_[i].shape());
  node.primitive->plan(node.inputs, outputs_, plans_);
}

// Reserves what the node needs, and queues its task.
std::vector<memory::Use> Scheduler::encode_work(const Node& node) {
  const Primitive& primitive = *node.primitive;
  const cpu::Evaluator* evaluator = runtime_.cpu_table().find(primitive);
  if (evaluator == nullptr) {
    throw std::invalid_argument(std::string("[eval] ") + primitive.name() + " does not run on the CPU");
  }
  CpuStream& stream = runtime_.streams().cpu(primitive.stream().index);
  CpuTask task = describe(node, *evaluator);
  const bool has_scratch = collect_requests(task, *evaluator);
  buffers_.assign(requests_.size(), memory::Buffer{});
  memory::AcquireResult acquired = runtime_.pool()->acquire(requests_, stream.id(), buffers_);
  if (!acquired.acquired) return std::move(acquired.wait_for);

  collect_waits(node, acquired, stream.id(), task);
  place_outputs(node, task);
  memory::Use use;
  if (std::any_of(outputs_.begin(), outputs_.end(), [](const array& a) { return a.size() > 0; })) {
    use = stream.submit(std::move(task));
    record_uses(node, use);
  }
  // In encode order, whatever the stream is doing: what reuses the scratch is ordered behind this task.
  if (has_scratch) runtime_.pool()->release(buffers_.back(), use);
  return {};
}

void Scheduler::share_views(const Node& node) {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (plans_[i].view_of < 0) continue;
    const array& source = node.inputs[plans_[i].view_of];
    Layout layout = plans_[i].layout;
    layout.offset += source.offset();
    finish(outputs_[i].desc(), source.data_shared_ptr(), std::move(layout));
  }
}

void Scheduler::choose_donors(const Node& node, bool keeps_graph) {
  new_outputs_.clear();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (plans_[i].view_of >= 0) continue;
    int chosen = -1;
    for (const int donor : plans_[i].donors) {
      const bool taken = std::any_of(new_outputs_.begin(), new_outputs_.end(),
                                     [&](const NewOutput& other) { return other.donor == donor; });
      if (keeps_graph || taken || !can_donate(node.inputs[donor], outputs_[i], plans_[i].layout)) continue;
      chosen = donor;
      break;
    }
    new_outputs_.push_back({static_cast<int>(i), chosen});
  }
}

CpuTask Scheduler::describe(const Node& node, const cpu::Evaluator& evaluator) const {
  CpuTask task;
  task.primitive = node.primitive;
  task.run = evaluator.run;
  task.input_count = node.inputs.size();
  task.tensors.reserve(node.inputs.size() + outputs_.size());
  for (const array& input : node.inputs) {
    const Data& data = *input.data_shared_ptr();
    task.tensors.push_back(describe_array(input, input.desc().layout, address_of(data, input.offset())));
    if (data.written.ticket != 0) task.depends.push_back(data.written);
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    task.tensors.push_back(describe_array(outputs_[i], plans_[i].layout, nullptr));
  }
  return task;
}

bool Scheduler::collect_requests(const CpuTask& task, const cpu::Evaluator& evaluator) {
  requests_.clear();
  for (const NewOutput& out : new_outputs_) {
    if (out.donor >= 0) continue;
    const size_t bytes = plans_[out.output].layout.data_size * outputs_[out.output].itemsize();
    requests_.push_back({bytes, memory::Tag::kArray, task.primitive->name()});
  }
  if (evaluator.scratch == nullptr) return false;
  const std::span<const Tensor> tensors(task.tensors);
  const size_t scratch =
      evaluator.scratch(*task.primitive, tensors.first(task.input_count), tensors.subspan(task.input_count));
  if (scratch > 0) requests_.push_back({scratch, memory::Tag::kScratch, task.primitive->name()});
  return scratch > 0;
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

// Gives every new output its buffer, and the task the addresses.
void Scheduler::place_outputs(const Node& node, CpuTask& task) {
  size_t next_buffer = 0;
  for (const NewOutput& out : new_outputs_) {
    Layout layout = plans_[out.output].layout;
    std::shared_ptr<Data> data;
    if (out.donor >= 0) {
      data = node.inputs[out.donor].data_shared_ptr();
      layout.offset = node.inputs[out.donor].offset();
    } else {
      data = std::make_shared<Data>(buffers_[next_buffer++], runtime_.pool());
    }
    task.tensors[task.input_count + out.output].data = address_of(*data, layout.offset);
    finish(outputs_[out.output].desc(), std::move(data), std::move(layout));
  }
  if (next_buffer < buffers_.size()) {
    task.scratch = {static_cast<std::byte*>(buffers_[next_buffer].host), requests_[next_buffer].bytes};
  }
}

void Scheduler::record_uses(const Node& node, memory::Use use) {
  for (const array& input : node.inputs) add_last_use(*input.data_shared_ptr(), use);
  for (const NewOutput& out : new_outputs_) {
    Data& data = *outputs_[out.output].data_shared_ptr();
    add_last_use(data, use);
    data.written = use;
  }
}

}  // namespace plimsoll::runtime
