#include <algorithm>
#include <array>
#include <cstring>

#include "hal/drivers/vulkan/test_device.h"

namespace plimsoll::hal::vulkan {
namespace {

// The same sum with its parameters in memory: a block of 256 bytes whose last words are the buffers.
constexpr const char* kLargeSource = R"(#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint values[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Block {
  uint first_group; uint count; uint unused[56]; Words a; Words b;
};
layout(push_constant) uniform Parameters { Block block; } p;
void main() {
  uint i = (gl_WorkGroupID.x + p.block.first_group) * 64 + gl_LocalInvocationID.x;
  if (i < p.block.count) p.block.b.values[i] += p.block.a.values[i];
}
)";

struct LargeParameters {
  uint32_t first_group, count;
  std::array<uint32_t, 56> unused;
  uint64_t a, b;
};
static_assert(sizeof(LargeParameters) > kDirectParameterBytes);

class VulkanCommandListTest : public VulkanTest {};
class VulkanDispatchTest : public VulkanSourceTest {};

TEST_F(VulkanDispatchTest, AddsThroughBufferAddresses) {
  constexpr uint32_t kCount = 1000;
  const Buffer a = allocate(kCount * 4), b = allocate(kCount * 4), c = allocate(kCount * 4);
  for (uint32_t i = 0; i < kCount; ++i) {
    as<uint32_t>(a)[i] = i;
    as<uint32_t>(b)[i] = 7 * i;
    as<uint32_t>(c)[i] = 0;
  }
  const uint32_t scale = 3;
  const hal::Kernel& kernel = device_->kernel_from_source("add", kAddSource, std::span(&scale, 1));
  const auto list = device_->new_command_list();
  // Cut in two at a workgroup boundary.
  list->dispatch(dispatch_of(kernel, AddParameters{0, kCount, a.address, b.address, c.address}, 5));
  list->dispatch(dispatch_of(kernel, AddParameters{5, kCount, a.address, b.address, c.address}, 11));
  ASSERT_EQ(run(*list), Status::kOk);
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(as<uint32_t>(c)[i], i + 21 * i) << i;
}

TEST_F(VulkanDispatchTest, LargeParameterBlocksReachTheKernel) {
  constexpr uint32_t kCount = 64, kDispatches = 600;  // more blocks than one chunk holds
  const Buffer a = allocate(kCount * 4), b = allocate(kCount * 4);
  for (uint32_t i = 0; i < kCount; ++i) {
    as<uint32_t>(a)[i] = i + 1;
    as<uint32_t>(b)[i] = 0;
  }
  const hal::Kernel& kernel = device_->kernel_from_source("large", kLargeSource, {});
  const auto list = device_->new_command_list();
  for (int round = 0; round < 2; ++round) {
    if (round > 0) list->reset();
    for (uint32_t i = 0; i < kDispatches; ++i) {
      list->dispatch(dispatch_of(kernel, LargeParameters{0, kCount, {}, a.address, b.address}, 1));
      list->barrier();
    }
    ASSERT_EQ(run(*list), Status::kOk);
  }
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(as<uint32_t>(b)[i], 2 * kDispatches * (i + 1)) << i;
}

TEST_F(VulkanCommandListTest, CopiesAndFillsInOrder) {
  constexpr size_t kBytes = 4096;
  const Buffer staging = allocate(kBytes), device = allocate(kBytes, MemoryKind::kDevice), back = allocate(kBytes);
  for (size_t i = 0; i < kBytes; ++i) staging.host[i] = static_cast<std::byte>(i * 31 + i / 256);
  const auto list = device_->new_command_list();
  list->fill(whole(back, AccessKind::kWrite), 0xffffffff);
  list->fill(whole(device, AccessKind::kWrite), 0x01020304);
  list->barrier();
  Access from = whole(staging, AccessKind::kRead), to = whole(device, AccessKind::kWrite);
  from.region.address += 13;
  to.region.address += 64;
  from.region.row_bytes = to.region.row_bytes = 1001;
  list->copy(from, to);
  list->barrier();
  list->copy(whole(device, AccessKind::kRead), whole(back, AccessKind::kWrite));
  ASSERT_EQ(run(*list), Status::kOk);
  EXPECT_EQ(as<uint32_t>(back)[0], 0x01020304U);
  EXPECT_EQ(as<uint32_t>(back)[kBytes / 4 - 1], 0x01020304U);
  EXPECT_EQ(std::memcmp(back.host + 64, staging.host + 13, 1001), 0);
  EXPECT_EQ(back.host[63], std::byte{1});
}

TEST_F(VulkanDispatchTest, OddParameterBlocksAreWholeWordsToVulkan) {
  constexpr uint32_t kCount = 64;
  const Buffer a = allocate(kCount * 4), c = allocate(kCount * 4);
  for (uint32_t i = 0; i < kCount; ++i) as<uint32_t>(a)[i] = i;
  const hal::Kernel& kernel = device_->kernel_from_source("add", kAddSource, {});
  std::array<std::byte, sizeof(AddParameters) + 3> block{};
  const AddParameters parameters = {0, kCount, a.address, a.address, c.address};
  std::memcpy(block.data(), &parameters, sizeof parameters);
  const auto list = device_->new_command_list();
  Dispatch dispatch = dispatch_of(kernel, parameters, 1);
  dispatch.parameters = block;
  list->dispatch(dispatch);
  ASSERT_EQ(run(*list), Status::kOk);
  EXPECT_EQ(as<uint32_t>(c)[63], 126U);
}

TEST_F(VulkanCommandListTest, TimestampsGrow) {
  if (!device_->info().has_timestamps) GTEST_SKIP() << "no Vulkan device with timestamps";
  const Buffer buffer = allocate(size_t{1} << 22, MemoryKind::kDevice);
  const auto list = device_->new_command_list();
  for (int round = 0; round < 2; ++round) {
    if (round > 0) list->reset();
    for (uint32_t i = 0; i < 40; ++i) {
      EXPECT_EQ(list->timestamp(), i);
      list->fill(whole(buffer, AccessKind::kWrite), i);
      list->barrier();
    }
    ASSERT_EQ(run(*list), Status::kOk);
    const std::vector<uint64_t> notes = list->timestamps();
    ASSERT_EQ(notes.size(), 40U);
    EXPECT_TRUE(std::is_sorted(notes.begin(), notes.end()));
    EXPECT_LT(notes.front(), notes.back());
  }
}

TEST_F(VulkanCommandListTest, TimestampsEndAtTheirNumber) {
  if (!device_->info().has_timestamps) GTEST_SKIP() << "no Vulkan device with timestamps";
  const auto list = device_->new_command_list();
  for (uint32_t i = 0; i < hal::CommandList::kMaxTimestamps; ++i) ASSERT_EQ(list->timestamp(), i);
  EXPECT_EQ(list->timestamp(), hal::CommandList::kNoTimestamp);
  ASSERT_EQ(run(*list), Status::kOk);
  EXPECT_EQ(list->timestamps().size(), hal::CommandList::kMaxTimestamps);
}

TEST_F(VulkanCommandListTest, ACopyOfNoBufferIsDeniedAtSubmission) {
  const auto list = device_->new_command_list();
  Access nowhere;
  nowhere.region = {.address = 8, .row_bytes = 16, .row_stride = 16, .rows = 1};
  list->fill(nowhere, 0);
  EXPECT_EQ(run(*list), Status::kDenied);
  list->reset();
  EXPECT_EQ(run(*list), Status::kOk);
}

}  // namespace
}  // namespace plimsoll::hal::vulkan
