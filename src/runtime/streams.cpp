#include "runtime/streams.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "runtime/runtime.h"

namespace plimsoll::runtime {
namespace {

// The default streams of one thread; given back when the thread ends.
struct ThreadStreams {
  std::vector<Stream> own;      // made for this thread, one a device
  std::vector<Stream> current;  // what set_default_stream chose, else the own ones

  ~ThreadStreams() {
    for (const Stream& stream : own) instance().streams().recycle(stream);
  }
};
thread_local ThreadStreams thread_streams;

Stream* find(std::vector<Stream>& streams, Device device) {
  const auto found = std::find_if(streams.begin(), streams.end(), [&](const Stream& s) { return s.device == device; });
  return found == streams.end() ? nullptr : &*found;
}

}  // namespace

Stream Streams::add(Device device) {
  require_available(device, "new_stream");
  const std::lock_guard lock(mutex_);
  Entry entry{device, nullptr};
  if (device == Device::cpu) entry.cpu = std::make_unique<CpuStream>(board_.add_stream(), board_);
  streams_.push_back(std::move(entry));
  return {static_cast<int>(streams_.size()) - 1, device};
}

Stream Streams::thread_default(Device device) {
  if (const Stream* known = find(thread_streams.current, device)) return *known;
  require_available(device, "default_stream");
  std::optional<Stream> reused;
  {
    const std::lock_guard lock(mutex_);
    if (const Stream* idle = find(idle_defaults_, device)) {
      reused = *idle;
      idle_defaults_.erase(idle_defaults_.begin() + (idle - idle_defaults_.data()));
    }
  }
  const Stream made = reused ? *reused : add(device);
  thread_streams.own.push_back(made);
  thread_streams.current.push_back(made);
  return made;
}

void Streams::set_thread_default(Stream stream) {
  if (at(stream.index).device != stream.device) {
    throw std::invalid_argument("[set_default_stream] stream " + std::to_string(stream.index) +
                                " is of another device");
  }
  if (Stream* known = find(thread_streams.current, stream.device)) {
    *known = stream;
  } else {
    thread_streams.current.push_back(stream);
  }
}

void Streams::recycle(Stream stream) {
  const std::lock_guard lock(mutex_);
  idle_defaults_.push_back(stream);
}

const Streams::Entry& Streams::entry(int index) const {
  if (index < 0 || index >= static_cast<int>(streams_.size())) {
    throw std::invalid_argument("[stream] there is no stream " + std::to_string(index));
  }
  return streams_[index];
}

CpuStream& Streams::cpu(int index) const {
  const std::lock_guard lock(mutex_);
  const Entry& found = entry(index);
  if (found.cpu == nullptr) {
    throw std::invalid_argument("[stream] stream " + std::to_string(index) + " is not the CPU's");
  }
  return *found.cpu;
}

Stream Streams::at(int index) const {
  const std::lock_guard lock(mutex_);
  return {index, entry(index).device};
}

std::vector<Stream> Streams::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Stream> streams;
  for (size_t i = 0; i < streams_.size(); ++i) streams.emplace_back(static_cast<int>(i), streams_[i].device);
  return streams;
}

CpuStream& Streams::transfers() {
  const std::lock_guard lock(mutex_);
  if (transfers_ == nullptr) transfers_ = std::make_unique<CpuStream>(board_.add_stream(), board_);
  return *transfers_;
}

void Streams::join() {
  for (size_t i = 0;; ++i) {
    CpuStream* stream = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (i > streams_.size()) return;
      stream = i == streams_.size() ? transfers_.get() : streams_[i].cpu.get();
    }
    if (stream != nullptr) stream->join();
  }
}

}  // namespace plimsoll::runtime
