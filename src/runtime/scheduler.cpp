#include "runtime/scheduler.h"

#include <algorithm>

#include "plimsoll/errors.h"
#include "runtime/runtime.h"

namespace plimsoll::runtime {
namespace {

// A buffer larger than its new owner needs is taken over only up to this waste.
constexpr size_t kDonationSlack = 16 << 10;  // bytes

// Nothing else holds the array or its buffer: no handle, no view, no consumer still to be encoded.
bool is_owned_alone(const array& a) { return a.desc_ptr().use_count() == 1 && a.data_shared_ptr().use_count() == 1; }

bool can_donate(const array& input, const array& output, const Layout& layout, const memory::Pool* pool) {
  const Data& data = *input.data_shared_ptr();
  if (data.pool.get() != pool) return false;
  const size_t needed = layout.data_size * output.itemsize();
  return data.kind == Data::Kind::kOwned && input.itemsize() == output.itemsize() && is_owned_alone(input) &&
         input.data_size() >= layout.data_size && data.buffer.bytes <= needed + kDonationSlack;
}

void finish(ArrayDesc& desc, std::shared_ptr<Data> data, Layout layout) {
  desc.data = std::move(data);
  desc.layout = std::move(layout);
  desc.status.store(array::evaluated, std::memory_order_release);
}

}  // namespace

void Scheduler::encode(const std::vector<array>& outputs) {
  try {
    for (;;) {
      Pause pause = encode_until_pause(outputs);
      if (!pause.any()) return;
      take(pause);
    }
  } catch (const DeviceError&) {
    // It may be news of a loss: whoever tries again finds the device opened anew.
    runtime_.devices().settle();
    throw;
  }
}

Pause Scheduler::encode_until_pause(const std::vector<array>& outputs) {
  const std::lock_guard lock(mutex_);
  struct Commit {
    Scheduler& scheduler;
    ~Commit() { scheduler.commit_gpus(); }
  } commit{*this};
  order(outputs);
  for (Node* node : order_) {
    Pause pause;
    try {
      pause = encode_node(*node);
    } catch (const OutOfMemory&) {
      // Copies in other memories give way before the refusal is final, and so does a lost device.
      if (!residence_.drop_copies() && !runtime_.devices().leave_lost_pool()) throw;
      pause = encode_node(*node);
    }
    if (pause.any()) return pause;
  }
  return {};
}

void Scheduler::take(Pause& pause) {
  for (const memory::Use& use : pause.wait_for) runtime_.board().wait(use);
  if (!pause.kernel) return;
  pause.kernel->make(pause.device->hal());
  const std::lock_guard lock(mutex_);
  pause.device->kernels().add(*pause.kernel);
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

Pause Scheduler::encode_node(Node& node) {
  struct Clear {
    std::vector<array>& arrays;
    ~Clear() { arrays.clear(); }
  } clear{outputs_};
  collect_outputs(node);
  const bool keeps_graph =
      std::any_of(outputs_.begin(), outputs_.end(), [](const array& output) { return output.is_tracer(); });
  plan_outputs(node);
  // Asked once: a device may be lost, and opened anew, at any moment.
  const Device& where = node.primitive->device();
  GpuDevice* const device = where == Device::cpu ? nullptr : &use_gpu(where.index);
  const std::shared_ptr<memory::Pool> pool = device == nullptr ? runtime_.pool() : device->pool();
  choose_donors(node, keeps_graph, pool.get());

  if (!new_outputs_.empty()) {
    Pause pause = device == nullptr ? encode_on_cpu(node, pool) : encode_on_gpu(node, *device);
    if (pause.any()) return pause;
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

void Scheduler::share_views(const Node& node) {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (plans_[i].view_of < 0) continue;
    const array& source = node.inputs[plans_[i].view_of];
    Layout layout = plans_[i].layout;
    layout.offset += source.offset();
    finish(outputs_[i].desc(), source.data_shared_ptr(), std::move(layout));
  }
}

void Scheduler::choose_donors(const Node& node, bool keeps_graph, const memory::Pool* pool) {
  new_outputs_.clear();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (plans_[i].view_of >= 0) continue;
    int chosen = -1;
    for (const int donor : plans_[i].donors) {
      const bool taken = std::any_of(new_outputs_.begin(), new_outputs_.end(),
                                     [&](const NewOutput& other) { return other.donor == donor; });
      if (keeps_graph || taken || !can_donate(node.inputs[donor], outputs_[i], plans_[i].layout, pool)) continue;
      chosen = donor;
      break;
    }
    new_outputs_.push_back({static_cast<int>(i), chosen});
  }
}

// One request for each new output that takes over no buffer, and a last one for scratch where there is any.
void Scheduler::collect_requests(const char* origin, size_t scratch_bytes) {
  requests_.clear();
  for (const NewOutput& out : new_outputs_) {
    if (out.donor >= 0) continue;
    const size_t bytes = plans_[out.output].layout.data_size * outputs_[out.output].itemsize();
    requests_.push_back({bytes, memory::Tag::kArray, origin});
  }
  if (scratch_bytes > 0) requests_.push_back({scratch_bytes, memory::Tag::kScratch, origin});
  buffers_.assign(requests_.size(), memory::Buffer{});
}

// Gives every new output its buffer.
void Scheduler::place_outputs(const Node& node, const std::shared_ptr<memory::Pool>& pool) {
  size_t next_buffer = 0;
  for (const NewOutput& out : new_outputs_) {
    Layout layout = plans_[out.output].layout;
    std::shared_ptr<Data> data;
    if (out.donor >= 0) {
      data = node.inputs[out.donor].data_shared_ptr();
      data->copies.clear();
      layout.offset = node.inputs[out.donor].offset();
    } else {
      data = std::make_shared<Data>(buffers_[next_buffer++], pool);
    }
    finish(outputs_[out.output].desc(), std::move(data), std::move(layout));
  }
}

void Scheduler::record_uses(const Node& node, memory::Use use) {
  for (size_t i = 0; i < sources_.size(); ++i) {
    add_last_use(*sources_[i], use);
    // An imported copy is the original's memory: that must outlive the work as well.
    Data& original = *node.inputs[i].data_shared_ptr();
    if (sources_[i] != &original && sources_[i]->imported_by != nullptr) add_last_use(original, use);
  }
  for (const NewOutput& out : new_outputs_) {
    Data& data = *outputs_[out.output].data_shared_ptr();
    add_last_use(data, use);
    data.written = use;
  }
}

}  // namespace plimsoll::runtime
