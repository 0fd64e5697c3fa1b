// A recorded command list with all that the runtime needs to send it, wait for it and judge it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hal/command_list.h"
#include "memory/use.h"

namespace plimsoll::gpu {

// Two timestamps of a list with what was recorded between them: one dispatch, or the pieces of one.
struct TimedWork {
  const hal::Kernel* kernel;
  const char* label;  // the operation
  uint64_t groups;
  hal::Cost cost;
  double projected;     // seconds, safety included
  uint32_t begin, end;  // timestamps
};

struct CommandBuffer {
  std::unique_ptr<hal::CommandList> list;
  uint64_t sequence = 0;   // of the encoder, from 1; the queue's ticket is the same number
  uint64_t after = 0;      // the sequence that must be done before it starts
  uint64_t continues = 0;  // the sequence with earlier pieces of its first operation: fails with it; 0: none
  uint32_t dispatches = 0;
  double projected = 0;  // seconds, safety included
  uint32_t canary = 0;   // the word that its last command writes into slot sequence % Encoder::kCanarySlots
  std::vector<memory::Use> host_waits;  // work of other queues that must be done before it is sent
  std::vector<memory::Use> depends;     // what made its inputs: if that failed, so did this
  std::vector<TimedWork> timed;
};

// Where the encoder sends closed command buffers.
class CommandBufferSink {
 public:
  virtual ~CommandBufferSink() = default;

  // Takes a command buffer to send it in the order of calls. May wait for the device while too much is in flight.
  virtual void submit(std::unique_ptr<CommandBuffer> buffer) = 0;

  // Whether everything submitted is done.
  virtual bool is_idle() const = 0;

  // A command list for recording. Throws DeviceError.
  virtual std::unique_ptr<hal::CommandList> take_list() = 0;
};

}  // namespace plimsoll::gpu
