// How a call to a device ended, where several ends are expected. Native error codes never leave their driver.
#pragma once

#include <cstdint>

namespace plimsoll::hal {

enum class Status : uint8_t {
  kOk,
  kDenied,    // no memory for it
  kTooLarge,  // above a cap on one buffer or allocation
  kTooMany,   // at the cap on the number of allocations
  kTimedOut,  // not done at the deadline
  kLost,      // the device is gone: every later call on it answers this too
};

constexpr const char* to_string(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kDenied:
      return "memory denied";
    case Status::kTooLarge:
      return "too large";
    case Status::kTooMany:
      return "too many allocations";
    case Status::kTimedOut:
      return "timed out";
    case Status::kLost:
      return "device lost";
  }
  return "unknown";
}

}  // namespace plimsoll::hal
