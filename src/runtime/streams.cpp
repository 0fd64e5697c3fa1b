#include "runtime/streams.h"

#include <optional>
#include <stdexcept>
#include <string>

#include "runtime/runtime.h"

namespace plimsoll::runtime {
namespace {

// The default streams of one thread; given back when the thread ends.
struct ThreadStreams {
  std::optional<Stream> own;      // made for this thread
  std::optional<Stream> current;  // what set_default_stream chose

  ~ThreadStreams() {
    if (own) instance().streams().recycle(*own);
  }
};
thread_local ThreadStreams thread_streams;

}  // namespace

Stream Streams::add(Device device) {
  require_available(device, "new_stream");
  const std::lock_guard lock(mutex_);
  const uint32_t id = board_.add_stream();
  cpu_streams_.push_back(std::make_unique<CpuStream>(id, board_));
  return {static_cast<int>(id), device};
}

Stream Streams::thread_default(Device device) {
  require_available(device, "default_stream");
  if (thread_streams.current) return *thread_streams.current;
  std::optional<Stream> reused;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_defaults_.empty()) {
      reused = idle_defaults_.back();
      idle_defaults_.pop_back();
    }
  }
  thread_streams.own = reused ? *reused : add(device);
  thread_streams.current = thread_streams.own;
  return *thread_streams.current;
}

void Streams::set_thread_default(Stream stream) {
  cpu(stream.index);
  thread_streams.current = stream;
}

void Streams::recycle(Stream stream) {
  const std::lock_guard lock(mutex_);
  idle_defaults_.push_back(stream);
}

CpuStream& Streams::cpu(int index) const {
  const std::lock_guard lock(mutex_);
  if (index < 0 || index >= static_cast<int>(cpu_streams_.size())) {
    throw std::invalid_argument("[stream] there is no stream " + std::to_string(index));
  }
  return *cpu_streams_[index];
}

std::vector<Stream> Streams::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Stream> streams;
  for (const auto& stream : cpu_streams_) streams.emplace_back(static_cast<int>(stream->id()), Device::cpu);
  return streams;
}

void Streams::join() {
  for (size_t i = 0;; ++i) {
    CpuStream* stream = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (i >= cpu_streams_.size()) return;
      stream = cpu_streams_[i].get();
    }
    stream->join();
  }
}

}  // namespace plimsoll::runtime
