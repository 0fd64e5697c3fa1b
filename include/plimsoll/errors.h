// The exceptions that Plimsoll throws. Wrong arguments are std::invalid_argument (std::out_of_range for an index),
// whose message starts with the operation in brackets: "[softmax] axis 3 is out of range for 2 dimensions".
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace plimsoll {

// A memory limit, or a cap of the device, refused an allocation. Nothing was allocated and nothing was lost: nodes
// evaluated before stay evaluated, the rest stay lazy, and evaluating again tries again.
class OutOfMemory : public std::runtime_error {
 public:
  OutOfMemory(const std::string& message, size_t requested, size_t limit)
      : std::runtime_error(message), requested_(requested), limit_(limit) {}

  size_t requested() const noexcept { return requested_; }  // bytes
  size_t limit() const noexcept { return limit_; }          // bytes (or objects) of the limit or cap that refused

 private:
  size_t requested_;
  size_t limit_;
};

// A device is not there, was lost, or reported a failure. Arrays that depended on the failed work throw it at every
// read.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A read of values that were never made: the device is simulated and runs no kernels.
class NoValues : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

// A single piece of GPU work cannot be cut small enough for the time budget of a command buffer.
class LaunchBudgetError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An input file is missing, unreadable, malformed, or uses something unsupported. The message names file and field.
class FileError : public std::runtime_error {
 public:
  FileError(const std::string& path, const std::string& what)
      : std::runtime_error("[" + path + "] " + what), path_(path) {}

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

// An output file could not be written. What was at the path before is still there, whole.
class WriteError : public std::runtime_error {
 public:
  WriteError(const std::string& path, const std::string& what)
      : std::runtime_error("[" + path + "] " + what), path_(path) {}

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace plimsoll
