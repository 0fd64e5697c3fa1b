// What the graph asks of the runtime.
#include "graph/evaluation.h"

#include <exception>

#include "plimsoll/errors.h"
#include "plimsoll/transforms.h"
#include "runtime/runtime.h"

namespace plimsoll {
namespace evaluation {

using runtime::instance;

void evaluate(std::vector<array> outputs, bool async) {
  instance().deferred().run_ready();
  instance().scheduler().encode(outputs);
  if (async) return;
  for (const array& output : outputs) output.wait();
}

bool is_done(memory::Use use) { return instance().board().done(use); }

void wait(memory::Use use) {
  instance().board().wait(use);
  if (std::exception_ptr failed = instance().board().failure(use)) std::rethrow_exception(failed);
}

std::shared_ptr<Data> allocate(size_t bytes, const char* origin) {
  memory::Buffer buffer;
  const memory::Request request{bytes, memory::Tag::kArray, origin};
  auto pool = instance().acquire({&request, 1}, runtime::TicketBoard::kMaxStreams, {&buffer, 1});
  return std::make_shared<Data>(buffer, std::move(pool));
}

const std::shared_ptr<memory::Pool>& default_pool() { return instance().pool(); }

std::byte* host_address(const std::shared_ptr<Data>& data) {
  const Data& where = instance().scheduler().bring_to_host(data);
  wait(where.written);
  if (const runtime::GpuDevice* device = instance().devices().of_pool(data->pool.get());
      device != nullptr && !device->info().makes_values) {
    throw NoValues("[eval] " + device->name() + " runs no kernels: there are no values to read");
  }
  return static_cast<std::byte*>(where.buffer.host);
}

memory::Use join(std::span<const memory::Use> uses) noexcept {
  runtime::CpuTask task;
  for (const memory::Use& use : uses.subspan(1)) {
    if (!instance().board().done(use)) task.waits.push_back(use);
  }
  if (task.waits.empty()) return uses[0];
  task.waits.push_back(uses[0]);
  return instance().streams().transfers().submit_now(std::move(task));
}

void call_after(memory::Use use, std::function<void()> f) noexcept {
  instance().deferred().call_after(use, std::move(f));
}

}  // namespace evaluation

void eval(std::vector<array> outputs) { evaluation::evaluate(std::move(outputs), false); }
void async_eval(std::vector<array> outputs) { evaluation::evaluate(std::move(outputs), true); }

}  // namespace plimsoll
