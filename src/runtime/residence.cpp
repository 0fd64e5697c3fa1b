#include "runtime/residence.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/runtime.h"

namespace plimsoll::runtime {
namespace {

// A copy between two places that the host sees, as a task of a CPU stream.
class HostCopy final : public Primitive {
 public:
  using Primitive::Primitive;
  const char* name() const override { return "Copy"; }
};

void run_host_copy(const Primitive&, const cpu::Task& task) {
  std::memcpy(task.outputs[0].data, task.inputs[0].data, task.inputs[0].data_size);
}

Tensor bytes_at(void* address, size_t bytes) {
  Tensor tensor;
  tensor.data = static_cast<std::byte*>(address);
  tensor.dtype = uint8;
  tensor.data_size = bytes;
  return tensor;
}

// Queues the copy; it starts after `from` is written and after `order`.
memory::Use copy_on_host(Runtime& runtime, Data& from, void* to, size_t bytes, std::span<const memory::Use> order) {
  static const auto primitive = std::make_shared<HostCopy>(Stream(0, Device::cpu));
  CpuTask task;
  task.primitive = primitive;
  task.run = run_host_copy;
  task.tensors = {bytes_at(from.buffer.host, bytes), bytes_at(to, bytes)};
  task.input_count = 1;
  for (const memory::Use& use : order) task.waits.push_back(use);
  if (from.written.ticket != 0) {
    task.waits.push_back(from.written);
    task.depends.push_back(from.written);
  }
  const memory::Use use = runtime.streams().transfers().submit(std::move(task));
  add_last_use(from, use);
  return use;
}

hal::Access whole(const memory::Buffer& buffer, size_t bytes, hal::AccessKind kind) {
  return {{buffer.address, bytes, bytes, 1}, kind, memory::home_of(buffer)};
}

}  // namespace

void Residence::require_alive(const Data& data) const {
  const GpuDevice* owner = runtime_.devices().of_pool(data.pool.get());
  if (owner == nullptr || !owner->is_lost()) return;
  // What was written into memory that the host shares is still there.
  const bool was_written = runtime_.board().done(data.written) && runtime_.board().failure(data.written) == nullptr;
  if (owner->info().unified && (data.written.stream != owner->stream() || was_written)) return;
  owner->throw_lost("eval");
}

// Other queues wait only for what was sent.
void Residence::commit_maker(const Data& data) const {
  if (GpuDevice* maker = runtime_.devices().of_pool(data.pool.get())) maker->encoder().commit();
}

// A copy whose making failed says nothing of what it was made of.
void Residence::drop_failed_copies(Data& data) const {
  if (data.copies.empty() || runtime_.board().failure(data.written) != nullptr) return;
  std::erase_if(data.copies, [&](const auto& copy) { return runtime_.board().failure(copy->written) != nullptr; });
}

Data* Residence::keep(const std::shared_ptr<Data>& data, std::shared_ptr<Data> copy) {
  data->copies.push_back(std::move(copy));
  if (copied_.size() >= prune_at_) {
    std::erase_if(copied_, [](const std::weak_ptr<Data>& known) {
      const std::shared_ptr<Data> alive = known.lock();
      return alive == nullptr || alive->copies.empty();
    });
    prune_at_ = std::max<size_t>(64, copied_.size() * 2);
  }
  copied_.push_back(data);
  return data->copies.back().get();
}

Pause Residence::bring_to(GpuDevice& device, const std::shared_ptr<Data>& data, Data*& where) {
  where = data.get();
  if (data->buffer.bytes == 0 || data->pool == device.pool()) return {};
  drop_failed_copies(*data);
  for (const auto& copy : data->copies) {
    if (copy->pool != device.pool() && copy->imported_by != device.pool().get()) continue;
    where = copy.get();
    return {};
  }
  require_alive(*data);
  commit_maker(*data);
  if (device.info().unified && import_mapped(device, data, where)) return {};
  return device.info().unified ? upload(device, data, where) : upload_staged(device, data, where);
}

// Mapped files in whole pages; the driver may not take them.
bool Residence::import_mapped(GpuDevice& device, const std::shared_ptr<Data>& data, Data*& where) {
  if (data->kind != Data::Kind::kMapped) return false;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uint64_t>(data->buffer.host);
  const uint64_t first = begin / page * page;
  const uint64_t bytes = (begin + data->buffer.bytes - first + page - 1) / page * page;
  hal::Buffer imported;
  hal::Device& hal = device.hal();
  if (hal.import_host(reinterpret_cast<std::byte*>(first), bytes, imported) != hal::Status::kOk) return false;
  auto copy = std::make_shared<Data>(data->buffer.host, data->buffer.bytes, Data::Kind::kMapped,
                                     [&hal, imported] { hal.release(imported); });
  copy->buffer.address = imported.address + (begin - first);
  copy->written = data->written;
  copy->imported_by = device.pool().get();
  where = keep(data, std::move(copy));
  return true;
}

Pause Residence::upload(GpuDevice& device, const std::shared_ptr<Data>& data, Data*& where) {
  Data* source = nullptr;
  if (Pause pause = bring_to_host(data, source); pause.any()) return pause;
  const memory::Request request{data->buffer.bytes, memory::Tag::kArray, "Copy"};
  memory::Buffer buffer;
  // The host writes it: what the device does with its earlier owners has to end first.
  const uint32_t host = runtime_.streams().transfers().id();
  memory::AcquireResult acquired = device.pool()->acquire({&request, 1}, host, {&buffer, 1});
  if (!acquired.acquired) return {std::move(acquired.wait_for), std::nullopt, nullptr};
  auto copy = std::make_shared<Data>(buffer, device.pool());
  copy->written = copy_on_host(runtime_, *source, buffer.host, data->buffer.bytes, acquired.order_after);
  add_last_use(*copy, copy->written);
  where = keep(data, std::move(copy));
  return {};
}

Pause Residence::upload_staged(GpuDevice& device, const std::shared_ptr<Data>& data, Data*& where) {
  Data* source = nullptr;
  if (Pause pause = bring_to_host(data, source); pause.any()) return pause;
  const size_t bytes = data->buffer.bytes;
  const memory::Request staging_request{bytes, memory::Tag::kStaging, "Copy"};
  const memory::Request request{bytes, memory::Tag::kArray, "Copy"};
  const uint32_t host = runtime_.streams().transfers().id();
  memory::Buffer staged;
  memory::AcquireResult got_staged = device.staging()->acquire({&staging_request, 1}, host, {&staged, 1});
  if (!got_staged.acquired) return {std::move(got_staged.wait_for), std::nullopt, nullptr};
  memory::Buffer buffer;
  memory::AcquireResult got;
  try {
    got = device.pool()->acquire({&request, 1}, device.stream(), {&buffer, 1});
  } catch (...) {
    device.staging()->release(staged, {});
    throw;
  }
  if (!got.acquired) {
    device.staging()->release(staged, {});
    return {std::move(got.wait_for), std::nullopt, nullptr};
  }
  const memory::Use staged_use = copy_on_host(runtime_, *source, staged.host, bytes, got_staged.order_after);
  got.order_after.push_back(staged_use);
  const uint64_t sequence = device.encoder().copy(
      whole(staged, bytes, hal::AccessKind::kRead), whole(buffer, bytes, hal::AccessKind::kWrite), "Copy",
      {.host_waits = got.order_after, .depends = {&staged_use, 1}, .arrays = {}, .new_buffers = true, .alone = false});
  auto copy = std::make_shared<Data>(buffer, device.pool());
  copy->written = {device.stream(), sequence};
  add_last_use(*copy, copy->written);
  device.staging()->release(staged, copy->written);
  where = keep(data, std::move(copy));
  return {};
}

Pause Residence::bring_to_host(const std::shared_ptr<Data>& data, Data*& where) {
  where = data.get();
  if (data->buffer.bytes == 0 || data->buffer.host != nullptr) {
    require_alive(*data);
    return {};
  }
  drop_failed_copies(*data);
  for (const auto& copy : data->copies) {
    if (copy->buffer.host == nullptr) continue;
    where = copy.get();
    return {};
  }
  require_alive(*data);
  GpuDevice& device = *runtime_.devices().of_pool(data->pool.get());
  device.catch_up();
  const size_t bytes = data->buffer.bytes;
  const memory::Request request{bytes, memory::Tag::kStaging, "Copy"};
  memory::Buffer buffer;
  memory::AcquireResult acquired = device.staging()->acquire({&request, 1}, device.stream(), {&buffer, 1});
  if (!acquired.acquired) return {std::move(acquired.wait_for), std::nullopt, nullptr};
  std::vector<memory::Use> host_waits = acquired.order_after;
  if (data->written.stream != device.stream()) memory::add_use(host_waits, data->written);
  const uint64_t sequence = device.encoder().copy(whole(data->buffer, bytes, hal::AccessKind::kRead),
                                                  whole(buffer, bytes, hal::AccessKind::kWrite), "Copy",
                                                  {.host_waits = host_waits,
                                                   .depends = {&data->written, 1},
                                                   .arrays = {},
                                                   .new_buffers = false,
                                                   .alone = runtime_.board().failure(data->written) != nullptr});
  device.encoder().commit();
  auto copy = std::make_shared<Data>(buffer, device.staging());
  copy->written = {device.stream(), sequence};
  add_last_use(*copy, copy->written);
  add_last_use(*data, copy->written);
  where = keep(data, std::move(copy));
  return {};
}

bool Residence::drop_copies() {
  bool any = false;
  for (const std::weak_ptr<Data>& weak : copied_) {
    const std::shared_ptr<Data> data = weak.lock();
    if (data == nullptr) continue;
    const bool for_host = data->buffer.host == nullptr;
    any |= std::erase_if(data->copies, [&](const auto& copy) { return !for_host || copy->buffer.host == nullptr; }) > 0;
  }
  return any;
}

}  // namespace plimsoll::runtime
