// What a fault device fakes: shared between the device and the test that holds on to it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "hal/fault/occasions.h"

namespace plimsoll::hal::fault {

// Allocations, submissions and kernels are counted from 1, over all devices that share the plan, refused ones included.
struct Faults {
  Occasions deny_allocations;   // allocate and import_host answer kDenied
  Occasions deny_submissions;   // submit answers kDenied, and nothing is sent
  Occasions drop_writes;        // an empty list runs instead: the ticket is done, nothing was written
  Occasions delay_submissions;  // the ticket is done `delay` later than it would be at the earliest
  std::chrono::nanoseconds delay{0};
  Occasions refuse_submissions_as_lost;  // the device is lost, and submit says so
  Occasions lose_device;                 // submit accepts the list, but the device is lost before it starts
  Occasions refuse_kernels;              // kernel and kernel_from_source throw DeviceError
  std::string refused_kernel;            // so does every call for this one; empty: none
};

// Smaller caps than the device's own.
struct Caps {
  size_t max_buffer_bytes = SIZE_MAX;
  size_t max_allocations = SIZE_MAX;
  uint32_t max_groups = UINT32_MAX;
};

struct Counts {
  uint64_t allocations = 0;
  uint64_t submissions = 0;
  uint64_t kernels = 0;
};

// Thread-safe.
class Plan {
 public:
  void set(const Faults& faults);
  void clear() { set({}); }
  // Calls so far: what happens next is number counts().x + 1.
  Counts counts() const;

  // For the devices: counts one call and says what to do about it.
  bool denies_allocation();
  bool refuses_kernel(const std::string& name);
  struct Submission {
    bool denied, dropped, refused_as_lost, loses_device;
    std::chrono::nanoseconds delay;
  };
  Submission next_submission();

 private:
  mutable std::mutex mutex_;
  Faults faults_;
  Counts counts_;
};

}  // namespace plimsoll::hal::fault
