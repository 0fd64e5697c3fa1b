// The suite that every driver passes: each test of it runs on each subject of the table in subject_test.cpp, where a
// new driver is added. What a driver may do otherwise stands in that table too, with its reason.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/device.h"

namespace plimsoll::hal::conformance {

// A test that a driver does not take part in.
struct Exception {
  std::string_view test;  // "MovesOddSizes"
  std::string_view reason;
};

struct Subject {
  std::string name;  // of letters, digits and underscores
  // A device of its own for each test. Null when this machine has none: `missing` then says what is missing.
  std::function<std::unique_ptr<Device>(std::string& missing)> open;
  std::vector<Exception> exceptions;
  // Has the device lost by the next submission, or, null, cannot.
  std::function<void(Device&)> lose = nullptr;
};

const std::vector<Subject>& subjects();

inline std::string name_of(const testing::TestParamInfo<Subject>& info) { return info.param.name; }
inline void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

// For each suite of tests, once: TEST_P(TransferConformance, ...) with `class TransferConformance : public
// Conformance`.
#define PLIMSOLL_CONFORMANCE(suite) INSTANTIATE_TEST_SUITE_P(Hal, suite, testing::ValuesIn(subjects()), name_of)

inline std::chrono::steady_clock::time_point soon() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(60);
}

// Opens the subject's device, or skips; releases what the test allocated.
class Conformance : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override;
  void TearDown() override;

  Buffer allocate(size_t bytes, MemoryKind kind);
  Buffer staging(size_t bytes) { return allocate(bytes, MemoryKind::kStaging); }

  // Submits without waiting.
  Ticket submit(CommandList& list, Ticket after = 0);
  // Submits behind everything before, and waits for it.
  void run(CommandList& list);

  Queue& queue() { return device_->queue(); }

  std::unique_ptr<Device> device_;

 private:
  std::filesystem::path home_;  // PLIMSOLL_HOME of the test: drivers keep caches there
  std::vector<Buffer> buffers_;
  Ticket last_ = 0;
};

// Bytes of a buffer as an access.
inline Access bytes_of(const Buffer& buffer, size_t offset, size_t bytes, AccessKind kind) {
  return {{buffer.address + offset, bytes, bytes, 1}, kind, buffer.address};
}
inline Access read_of(const Buffer& buffer, size_t offset, size_t bytes) {
  return bytes_of(buffer, offset, bytes, AccessKind::kRead);
}
inline Access write_of(const Buffer& buffer, size_t offset, size_t bytes) {
  return bytes_of(buffer, offset, bytes, AccessKind::kWrite);
}

// The 32-bit word at an index of a buffer that the host sees.
inline uint32_t word(const Buffer& buffer, size_t index) {
  uint32_t value;
  std::memcpy(&value, buffer.host + index * sizeof value, sizeof value);
  return value;
}

}  // namespace plimsoll::hal::conformance
