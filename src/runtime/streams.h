// The streams of the process and each thread's default ones.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "plimsoll/device.h"
#include "runtime/cpu_stream.h"
#include "runtime/ticket_board.h"

namespace plimsoll::runtime {

class Streams {
 public:
  explicit Streams(TicketBoard& board) : board_(board) {}

  Stream add(Device device);

  // The thread's default stream. A thread that ends leaves its stream to the next new thread.
  Stream thread_default(Device device);
  void set_thread_default(Stream stream);
  void recycle(Stream stream);

  // Throws std::invalid_argument for a stream that was never made, or is not the CPU's.
  CpuStream& cpu(int index) const;
  Stream at(int index) const;
  std::vector<Stream> all() const;

  // The stream for copies between memories and for waits that belong to no one.
  CpuStream& transfers();

  // Ends every worker once its queue is empty.
  void join();

 private:
  // Streams of a GPU share its queue: they differ in name alone.
  struct Entry {
    Device device;
    std::unique_ptr<CpuStream> cpu;
  };

  const Entry& entry(int index) const;

  TicketBoard& board_;
  mutable std::mutex mutex_;
  std::vector<Entry> streams_;  // by stream index
  std::unique_ptr<CpuStream> transfers_;
  std::vector<Stream> idle_defaults_;
};

}  // namespace plimsoll::runtime
