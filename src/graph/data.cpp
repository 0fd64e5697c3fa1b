#include "graph/data.h"

#include "graph/evaluation.h"

namespace plimsoll {

Data::Data(void* address, size_t bytes, Kind memory_kind, std::function<void()> when_unused)
    : unused(std::move(when_unused)), kind(memory_kind) {
  buffer.host = address;
  buffer.address = reinterpret_cast<uint64_t>(address);
  buffer.bytes = bytes;
}

Data::~Data() {
  memory::Use last;
  if (last_uses.size() == 1) {
    last = last_uses[0];
  } else if (!last_uses.empty()) {
    last = evaluation::join({last_uses.data(), last_uses.size()});
  }
  if (pool != nullptr) {
    pool->release(buffer, last);
  } else if (unused) {
    evaluation::call_after(last, std::move(unused));
  }
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

}  // namespace plimsoll
