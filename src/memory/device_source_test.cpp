#include "memory/device_source.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "hal/drivers/null/driver.h"
#include "memory/fake_board.h"
#include "memory/pool.h"

namespace plimsoll::memory {
namespace {

// A device of small caps, which records what it is told to give back.
class CappedDevice final : public hal::Device {
 public:
  CappedDevice() {
    info_.max_buffer_bytes = 1 << 20;
    info_.max_allocations = 3;
  }

  const hal::DeviceInfo& info() const noexcept override { return info_; }

  hal::Status allocate(size_t bytes, hal::MemoryKind kind, hal::Buffer& out) noexcept override {
    if (answer != hal::Status::kOk) return answer;
    if (bytes > info_.max_buffer_bytes) return hal::Status::kTooLarge;
    if (held.size() == info_.max_allocations) return hal::Status::kTooMany;
    out = {0x7000'0000'0000 + (next_ << 32), nullptr, bytes, kind, next_};
    ++next_;
    held.push_back(out);
    return hal::Status::kOk;
  }

  void release(const hal::Buffer& buffer) noexcept override {
    for (size_t i = 0; i < held.size(); ++i) {
      const hal::Buffer& mine = held[i];
      if (mine.handle == buffer.handle && mine.address == buffer.address && mine.bytes == buffer.bytes &&
          mine.host == buffer.host && mine.kind == buffer.kind) {
        held.erase(held.begin() + static_cast<ptrdiff_t>(i));
        return;
      }
    }
    ADD_FAILURE() << "released a buffer that this device did not hand out";
  }

  hal::Status import_host(std::byte*, size_t, hal::Buffer&) noexcept override { return hal::Status::kDenied; }
  const hal::Kernel& kernel(const hal::KernelCode&, std::span<const uint32_t>) override {
    throw std::bad_function_call();
  }
  const hal::Kernel& kernel_from_source(const std::string&, std::string_view, std::span<const uint32_t>) override {
    throw std::bad_function_call();
  }
  std::unique_ptr<hal::CommandList> new_command_list() override { return nullptr; }
  hal::Queue& queue() noexcept override { std::abort(); }
  hal::MemoryBudget memory_budget() const noexcept override { return {}; }
  bool can_wire() const noexcept override { return false; }
  bool set_resident(const hal::Buffer&, bool) noexcept override { return false; }

  hal::Status answer = hal::Status::kOk;
  std::vector<hal::Buffer> held;

 private:
  hal::DeviceInfo info_;
  uint64_t next_ = 1;
};

TEST(DeviceSource, ReadsItsCapsFromTheDevice) {
  CappedDevice device;
  const Caps caps = DeviceSource(device, hal::MemoryKind::kDevice).caps();
  EXPECT_GE(caps.granularity, 16u << 10);
  EXPECT_EQ(caps.granularity & (caps.granularity - 1), 0u);
  EXPECT_EQ(caps.max_allocation, 1u << 20);
  EXPECT_EQ(caps.max_allocations, 3u);
}

TEST(DeviceSource, GivesBackTheVeryBufferOfItsKind) {
  CappedDevice device;
  for (const hal::MemoryKind kind : {hal::MemoryKind::kDevice, hal::MemoryKind::kStaging}) {
    DeviceSource source(device, kind);
    Block block;
    ASSERT_EQ(source.allocate(32 << 10, block), Allocation::kOk);
    EXPECT_EQ(block.bytes, 32u << 10);
    EXPECT_EQ(device.held.at(0).kind, kind);
    EXPECT_EQ(buffer_of(block, kind).handle, device.held.at(0).handle);
    source.release(block);
    EXPECT_TRUE(device.held.empty());
  }
}

TEST(DeviceSource, SaysHowTheDeviceRefused) {
  CappedDevice device;
  DeviceSource source(device, hal::MemoryKind::kDevice);
  Block block{nullptr, 77, 0, 0};
  EXPECT_EQ(source.allocate(2 << 20, block), Allocation::kTooLarge);
  device.answer = hal::Status::kDenied;
  EXPECT_EQ(source.allocate(16 << 10, block), Allocation::kDenied);
  device.answer = hal::Status::kLost;
  EXPECT_EQ(source.allocate(16 << 10, block), Allocation::kDenied);
  EXPECT_EQ(block.address, 77u) << "set on kOk only";
  device.answer = hal::Status::kOk;
  for (int i = 0; i < 3; ++i) ASSERT_EQ(source.allocate(16 << 10, block), Allocation::kOk);
  EXPECT_EQ(source.allocate(16 << 10, block), Allocation::kTooMany);
}

TEST(DeviceSource, FeedsAPool) {
  const std::unique_ptr<hal::Driver> driver = hal::null::make_driver();
  const std::unique_ptr<hal::Device> device = driver->open("unified");
  FakeBoard board;
  board.finish_everything();
  {
    Pool pool(std::make_unique<DeviceSource>(*device, hal::MemoryKind::kDevice), Limits{}, board);
    const Request requests[] = {{1 << 20, Tag::kArray, "test"}, {100, Tag::kArray, "test"}};
    Buffer buffers[2];
    ASSERT_TRUE(pool.acquire(requests, 0, buffers).acquired);
    for (Buffer& buffer : buffers) {
      EXPECT_EQ(buffer.address, reinterpret_cast<uint64_t>(buffer.host));
      std::memset(buffer.host, 7, buffer.bytes);
    }
    EXPECT_GE(device->memory_budget().used, pool.active());
    for (Buffer& buffer : buffers) pool.release(buffer, {});
    EXPECT_TRUE(pool.is_valid());
  }
  EXPECT_EQ(device->memory_budget().used, 0u);
}

}  // namespace
}  // namespace plimsoll::memory
