// Whatever arrays are computed, in whatever order and on whatever streams and threads, the runtime orders every
// conflict on the device and nothing else: random programs of array operations behind the hazard checker.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plimsoll/device.h"
#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"
#include "base/env.h"
#include "hal/check/environment.h"
#include "hal/driver.h"

namespace plimsoll::runtime {
namespace {

constexpr int kThreads = 3;
constexpr ShapeElem kRows = 8;
constexpr ShapeElem kColumns = 24;

// One thread's program: arrays of [kRows, kColumns] that it makes of one another, and of those it shares with others.
class RandomArrays {
 public:
  RandomArrays(Device device, unsigned seed, const std::vector<array>& shared)
      : streams_{new_stream(device), new_stream(device)}, random_(seed), arrays_(shared) {}

  void run(int operations) {
    for (int i = 0; i < operations; ++i) {
      array made = step();
      if (below(4) == 0) async_eval(made);
      if (below(16) == 0) made.eval();
      if (arrays_.size() < kKept) {
        arrays_.push_back(std::move(made));
      } else {
        arrays_[below(kKept)] = std::move(made);
      }
    }
    eval(arrays_);
  }

 private:
  static constexpr size_t kKept = 10;

  unsigned below(size_t limit) { return static_cast<unsigned>(random_() % limit); }
  Stream stream() { return streams_[below(2)]; }
  const array& any() { return arrays_[below(arrays_.size())]; }

  array step() {
    switch (below(8)) {
      case 0:
        return add(any(), any(), stream());
      case 1:
        return multiply(any(), any(), stream());
      case 2:
        return exp(any(), stream());
      case 3:
        return view();
      case 4:
        return softmax(any(), -1, false, stream());
      case 5:
        return transpose(contiguous(transpose(any(), stream()), false, stream()), stream());
      case 6:
        return add(any(), sum(any(), 0, true, stream()), stream());
      default:
        return update_in_place();
    }
  }

  // Both halves of two arrays, without a copy until they are joined.
  array view() {
    const ShapeElem middle = 1 + static_cast<ShapeElem>(below(kRows - 1));
    const Stream on = stream();
    const array top = slice(any(), {0, 0}, {middle, kColumns}, on);
    const array bottom = slice(any(), {middle, 0}, {kRows, kColumns}, on);
    return concatenate({bottom, top}, 0, on);
  }

  // Of the array itself where nothing else holds it: rows, or columns, which leave gaps.
  array update_in_place() {
    const size_t index = below(arrays_.size());
    array target = std::move(arrays_[index]);
    arrays_.erase(arrays_.begin() + static_cast<std::ptrdiff_t>(index));
    if (arrays_.empty()) arrays_.push_back(ones({kRows, kColumns}, float32, stream()));
    const ShapeElem at = static_cast<ShapeElem>(below(kRows));
    const Shape start = below(2) == 0 ? Shape{at, 0} : Shape{0, at};
    const Shape stop = start[0] == at && start[1] == 0 ? Shape{at + 1, kColumns} : Shape{kRows, at + 1};
    const Stream on = stream();
    return slice_update(target, slice(any(), start, stop, on), start, stop, on);
  }

  const std::vector<Stream> streams_;
  std::mt19937 random_;
  std::vector<array> arrays_;
};

void run_program(Device device, unsigned seed, int operations) {
  std::vector<array> shared;
  for (int i = 0; i < 4; ++i) {
    shared.push_back(full({kRows, kColumns}, static_cast<float>(i), float32, default_stream(device)));
  }
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { RandomArrays(device, seed * kThreads + i, shared).run(operations); });
  }
  for (std::thread& thread : threads) thread.join();
}

// Ends the process: 0 when the checker found nothing, and had something to judge.
[[noreturn]] void run_programs(const std::string& name, unsigned programs, int operations) {
  setenv("PLIMSOLL_VALIDATE", "1", 1);
  const Device device = open_device(name);
  for (unsigned seed = 1; seed <= programs; ++seed) run_program(device, seed, operations);
  const auto& report = hal::check::process_report();
  const hal::check::Counts counts = report->counts();
  for (const auto& finding : report->findings()) std::fprintf(stderr, "%s\n", describe(finding).c_str());
  std::fprintf(stderr, "seeds 1 to %u: %lu lists, %lu commands, %lu barriers, %lu waits, %lu of them needless\n",
               programs, static_cast<unsigned long>(counts.lists), static_cast<unsigned long>(counts.commands),
               static_cast<unsigned long>(counts.barriers), static_cast<unsigned long>(counts.waits),
               static_cast<unsigned long>(counts.needless_waits));
  const bool right = counts.findings == 0 && counts.needless_waits == 0 && counts.barriers > counts.lists;
  std::_Exit(right ? 0 : 1);
}

// In a process of its own, so that no other test meets the device.
void expect_right(const std::string& device, unsigned programs, int operations) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  if (base::env_bool("PLIMSOLL_TEST_ALL").value_or(false)) programs *= 25;
  EXPECT_EXIT(run_programs(device, programs, operations), testing::ExitedWithCode(0), "of them needless");
}

TEST(RandomArraysDeathTest, AreOrderedOnADeviceThatSharesMemory) { expect_right("null:unified", 40, 100); }
TEST(RandomArraysDeathTest, AreOrderedOnADeviceWithItsOwnMemory) { expect_right("null:discrete", 40, 100); }

TEST(RandomArraysDeathTest, AreOrderedOnVulkan) {
  hal::Driver* const driver = hal::find_driver("vulkan");
  if (driver == nullptr) GTEST_SKIP() << "this build has no Vulkan driver";
  if (const std::string why = driver->unavailable(); !why.empty()) GTEST_SKIP() << "no Vulkan device: " << why;
  expect_right("vulkan", 30, 100);
}

}  // namespace
}  // namespace plimsoll::runtime
