// Encoding for a GPU: the operation's launches are staged, judged as a whole, and only then recorded.
#include <algorithm>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "gpu/task.h"
#include "runtime/runtime.h"
#include "runtime/scheduler.h"

namespace plimsoll::runtime {
namespace {

Tensor describe_array(const array& a, const Layout& layout, uint64_t address, uint64_t home) {
  return {reinterpret_cast<std::byte*>(address),
          a.dtype(),
          a.shape(),
          layout.strides,
          a.size(),
          layout.data_size,
          layout.flags,
          home};
}

uint64_t home_of(const Data& data) { return data.pool != nullptr ? memory::home_of(data.buffer) : data.buffer.address; }

void require_dtypes(const Primitive& primitive, const GpuDevice& device, std::span<const Tensor> tensors) {
  if (device.info().has_float64) return;
  for (const Tensor& tensor : tensors) {
    if (tensor.dtype != float64) continue;
    throw std::invalid_argument(fmt::format("[eval] {}: {} has no float64; use float32, or a stream of the CPU",
                                            primitive.name(), device.info().name));
  }
}

// Gives reserved buffers back unless what they were for was recorded.
class Reservation {
 public:
  Reservation(memory::Pool& pool, std::vector<memory::Buffer>& buffers) : pool_(pool), buffers_(buffers) {}
  ~Reservation() {
    if (kept_) return;
    for (memory::Buffer& buffer : buffers_) pool_.release(buffer, {});
  }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  void keep() { kept_ = true; }

 private:
  memory::Pool& pool_;
  std::vector<memory::Buffer>& buffers_;
  bool kept_ = false;
};

}  // namespace

GpuDevice& Scheduler::use_gpu(int index) {
  GpuDevice& device = runtime_.devices().for_new_work(index);
  if (std::find(gpus_.begin(), gpus_.end(), &device) == gpus_.end()) {
    device.catch_up();
    gpus_.push_back(&device);
  }
  return device;
}

void Scheduler::commit_gpus() noexcept {
  for (GpuDevice* device : gpus_) device->encoder().commit();
  gpus_.clear();
}

Pause Scheduler::encode_on_gpu(const Node& node, GpuDevice& device) {
  const Primitive& primitive = *node.primitive;
  const gpu::Evaluator* evaluator = runtime_.gpu_table().find(primitive);
  if (evaluator == nullptr) {
    throw std::invalid_argument(
        fmt::format("[eval] {} does not run on {} yet; give it a stream of the CPU", primitive.name(), device.name()));
  }
  sources_.assign(node.inputs.size(), nullptr);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    Pause pause = residence_.bring_to(device, node.inputs[i].data_shared_ptr(), sources_[i]);
    if (pause.any()) return pause;
  }
  describe_gpu(node);
  require_dtypes(primitive, device, tensors_);
  const std::span<const Tensor> tensors(tensors_);
  const size_t inputs = node.inputs.size();
  const size_t scratch = evaluator->scratch == nullptr ? 0
                                                       : evaluator->scratch(primitive, tensors.first(inputs),
                                                                            tensors.subspan(inputs), device.info());
  collect_requests(primitive.name(), scratch);
  memory::AcquireResult acquired = device.pool()->acquire(requests_, device.stream(), buffers_);
  if (!acquired.acquired) return {std::move(acquired.wait_for), std::nullopt, nullptr};

  Reservation reservation(*device.pool(), buffers_);
  memory::Use use;
  try {
    stage(node, *evaluator, device, scratch);
    use = record(node, device, acquired);
  } catch (gpu::KernelNotReady& missing) {
    return {{}, std::move(missing), &device};
  }
  reservation.keep();
  place_outputs(node, device.pool());
  if (use.ticket != 0) record_uses(node, use);
  // In encode order, whatever the device is doing: what reuses the scratch is ordered behind this work.
  if (scratch > 0) device.pool()->release(buffers_.back(), use);
  return {};
}

void Scheduler::describe_gpu(const Node& node) {
  tensors_.clear();
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const array& input = node.inputs[i];
    const Data& data = *sources_[i];
    const uint64_t address = data.buffer.address == 0 ? 0 : data.buffer.address + static_cast<uint64_t>(input.offset());
    tensors_.push_back(describe_array(input, input.desc().layout, address, home_of(data)));
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    tensors_.push_back(describe_array(outputs_[i], plans_[i].layout, 0, 0));
  }
}

// Gives the tensors their addresses and lets the evaluator state its launches.
void Scheduler::stage(const Node& node, const gpu::Evaluator& evaluator, GpuDevice& device, size_t scratch_bytes) {
  const size_t inputs = node.inputs.size();
  size_t next_buffer = 0;
  for (const NewOutput& out : new_outputs_) {
    Tensor& tensor = tensors_[inputs + out.output];
    if (out.donor >= 0) {
      tensor.data = tensors_[out.donor].data;
      tensor.home = tensors_[out.donor].home;
    } else {
      const memory::Buffer& buffer = buffers_[next_buffer++];
      tensor.data = reinterpret_cast<std::byte*>(buffer.address);
      tensor.home = memory::home_of(buffer);
    }
  }
  gpu::Memory scratch;
  if (scratch_bytes > 0) scratch = {buffers_.back().address, scratch_bytes, memory::home_of(buffers_.back())};
  const std::span<const Tensor> tensors(tensors_);
  device.plan().begin(node.primitive->name());
  gpu::Task task{device.info(), tensors.first(inputs), tensors.subspan(inputs),
                 scratch,       device.kernels(),      device.plan()};
  evaluator.encode(*node.primitive, task);
}

memory::Use Scheduler::record(const Node& node, GpuDevice& device, const memory::AcquireResult& acquired) {
  host_waits_.clear();
  depends_.clear();
  touched_.clear();
  const auto wait_for = [&](memory::Use use) {
    if (use.stream != device.stream() && !runtime_.board().done(use)) memory::add_use(host_waits_, use);
  };
  for (const memory::Use& use : acquired.order_after) wait_for(use);
  for (const Data* source : sources_) {
    wait_for(source->written);
    if (source->written.ticket != 0) depends_.push_back(source->written);
  }
  for (const NewOutput& out : new_outputs_) {
    if (out.donor < 0) continue;
    for (const memory::Use& use : node.inputs[out.donor].data_shared_ptr()->last_uses) wait_for(use);
  }
  for (const Tensor& tensor : tensors_) touched_.push_back({tensor.home, tensor.data_size});
  const uint64_t sequence =
      device.encoder().record(device.plan(), {.host_waits = host_waits_,
                                              .depends = depends_,
                                              .arrays = touched_,
                                              .new_buffers = acquired.made_blocks,
                                              .alone = runtime_.board().first_failure(depends_) != nullptr});
  return {sequence == 0 ? 0 : device.stream(), sequence};
}

Data& Scheduler::bring_to_host(const std::shared_ptr<Data>& data) {
  for (;;) {
    Pause pause;
    {
      const std::lock_guard lock(mutex_);
      Data* where = nullptr;
      pause = residence_.bring_to_host(data, where);
      if (GpuDevice* device = runtime_.devices().of_pool(data->pool.get())) device->encoder().commit();
      if (!pause.any()) return *where;
    }
    take(pause);
  }
}

}  // namespace plimsoll::runtime
