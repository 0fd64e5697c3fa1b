#include "runtime/scheduler.h"

#include <stdexcept>

#include "plimsoll/memory.h"
#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"
#include "gtest/gtest.h"
#include "runtime/pool_guard.h"

namespace plimsoll::runtime {
namespace {

const void* buffer_of(const array& a) { return a.data<void>(); }

array evaluated(array a) {
  a.eval();
  return a;
}

TEST(Donation, AnInputThatNobodyElseOwnsBecomesTheOutput) {
  array x = evaluated(ones({1000}));
  const void* before = buffer_of(x);
  x = x + 1.0f;
  x.eval();
  EXPECT_EQ(buffer_of(x), before);
  EXPECT_EQ(x.data<float>()[999], 2.0f);
}

TEST(Donation, NotWhileAHandleIsHeld) {
  array x = evaluated(ones({1000}));
  array y = evaluated(x + 1.0f);
  EXPECT_NE(buffer_of(x), buffer_of(y));
  EXPECT_EQ(x.data<float>()[0], 1.0f);
}

TEST(Donation, NotWhileAViewIsHeld) {
  array x = evaluated(ones({10, 100}));
  array view = evaluated(slice(x, {0, 0}, {1, 100}));
  x = evaluated(x * 3.0f);
  EXPECT_EQ(view.data<float>()[5], 1.0f);
}

TEST(Donation, NotWhileAConsumerIsPending) {
  array x = evaluated(ones({1000}));
  array y = x + 1.0f;
  array z = x * 5.0f;
  x = array(0.0f);
  eval(y, z);
  EXPECT_EQ(y.data<float>()[0], 2.0f);
  EXPECT_EQ(z.data<float>()[0], 5.0f);
}

TEST(Donation, NotOfForeignMemory) {
  float values[3] = {1, 2, 3};
  array x(values, {3}, float32, nullptr);
  x = evaluated(negative(x));
  EXPECT_EQ(values[1], 2.0f);
  EXPECT_EQ(x.data<float>()[1], -2.0f);
}

TEST(Donation, SliceUpdatesInPlace) {
  array x = evaluated(zeros({64, 1024}));
  const void* before = buffer_of(x);
  for (int i = 0; i < 64; ++i) {
    x = slice_update(x, full({1, 1024}, static_cast<float>(i)), {i, 0}, {i + 1, 1024});
    x.eval();
    ASSERT_EQ(buffer_of(x), before);
  }
  EXPECT_EQ(x.data<float>()[63 * 1024], 63.0f);
}

TEST(Refusal, LeavesTheRestLazyAndCanBeTriedAgain) {
  PoolGuard guard({.memory = 8 << 20});
  array small = ones({1024});
  array large = ones({1 << 22});  // 16 MiB
  array sum_of_both = sum(large) + sum(small);
  EXPECT_THROW(eval(small, sum_of_both), OutOfMemory);
  EXPECT_NE(small.status(), array::unscheduled);
  EXPECT_EQ(sum_of_both.status(), array::unscheduled);
  small.wait();
  EXPECT_EQ(small.data<float>()[5], 1.0f);
  set_memory_limit(64 << 20);
  EXPECT_EQ(sum_of_both.item<float>(), 4194304.0f + 1024.0f);
  EXPECT_TRUE(guard.pool().is_valid());
}

TEST(Refusal, DonatesNothingOfTheFailingNode) {
  PoolGuard guard({.memory = 8 << 20});
  array x = evaluated(ones({1 << 19}));  // 2 MiB
  array wide = broadcast_to(x, {8, 1 << 19}) + 1.0f;
  x = array(0.0f);
  EXPECT_THROW(wide.eval(), OutOfMemory);
  set_memory_limit(64 << 20);
  EXPECT_EQ(sum(wide).item<float>(), 2.0f * (1 << 22));
}

TEST(Failure, StaysWithWhatWasMadeOfItAndNothingElse) {
  const array a = arange(5);
  array good = a + 1;
  array bad = take(a, array({9}), 0);
  array derived = bad + 1;
  async_eval(good, bad, derived);
  EXPECT_THROW(bad.item<int>(), std::out_of_range);
  EXPECT_THROW(derived.item<int>(), std::out_of_range);
  EXPECT_THROW(derived.item<int>(), std::out_of_range) << "an error must not be forgotten once it was told";
  EXPECT_THROW((derived * 2).item<int>(), std::out_of_range);
  EXPECT_EQ(sum(good).item<int>(), 15);
}

TEST(Streams, WorkOnTwoStreamsIsOrderedByTheArraysTheyShare) {
  const Stream other = new_stream(Device::cpu);
  array x = ones({1 << 16});
  for (int i = 0; i < 50; ++i) x = add(x, array(1.0f), i % 2 == 0 ? StreamOrDevice(other) : StreamOrDevice());
  EXPECT_EQ(sum(x).item<float>(), 51.0f * (1 << 16));
  synchronize(other);
}

TEST(Streams, ABufferUsedOnTwoStreamsIsGivenBackAfterBoth) {
  const Stream other = new_stream(Device::cpu);
  for (int round = 0; round < 100; ++round) {
    array x = full({5000}, static_cast<float>(round));
    array a = sum(x);
    array b = sum(x, other);
    async_eval(a, b);
    x = array(0.0f);
    array overwriting = full({5000}, -1.0f);
    async_eval(overwriting);
    ASSERT_EQ(a.item<float>(), 5000.0f * static_cast<float>(round));
    ASSERT_EQ(b.item<float>(), 5000.0f * static_cast<float>(round));
  }
}

TEST(Devices, WhatIsNotThereIsRefusedByName) {
  const Device absent(Device::gpu, device_count(Device::gpu));
  EXPECT_FALSE(is_available(absent));
  EXPECT_THROW(set_default_device(absent), std::invalid_argument);
  EXPECT_THROW(add(array(1), array(2), absent), std::invalid_argument);
  EXPECT_THROW(new_stream(Device(Device::cpu, 1)), std::invalid_argument);
}

TEST(Peak, RepeatsToTheByte) {
  const auto work = [] {
    PoolGuard guard({.memory = 256 << 20});
    array x = ones({300, 400});
    for (int i = 0; i < 20; ++i) x = tanh(matmul(x, transpose(x))) + sum(x);
    x = slice(x, {0, 0}, {300, 300});
    x.eval();
    return memory_stats().peak;
  };
  const size_t first = work();
  EXPECT_GT(first, 0u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(work(), first);
}

}  // namespace
}  // namespace plimsoll::runtime
