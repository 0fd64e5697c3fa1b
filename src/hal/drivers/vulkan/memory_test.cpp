#include "hal/drivers/vulkan/memory.h"

#include <cstring>
#include <random>

#include <sys/mman.h>

#include "hal/drivers/vulkan/test_device.h"

namespace plimsoll::hal::vulkan {
namespace {

class VulkanMemoryTest : public VulkanTest {};

TEST_F(VulkanMemoryTest, BuffersAreAlignedAndApart) {
  const size_t alignment = device_->info().buffer_alignment;
  ASSERT_GE(alignment, 64U);
  std::vector<Buffer> made;
  for (const size_t bytes : {size_t{1}, size_t{63}, size_t{4096}, size_t{100'001}, size_t{1} << 22}) {
    for (const MemoryKind kind : {MemoryKind::kDevice, MemoryKind::kStaging}) {
      const Buffer buffer = allocate(bytes, kind);
      EXPECT_EQ(buffer.address % alignment, 0U) << bytes;
      EXPECT_GE(buffer.bytes, bytes);
      EXPECT_EQ(buffer.kind, kind);
      for (const Buffer& other : made) {
        EXPECT_TRUE(buffer.address + buffer.bytes <= other.address || other.address + other.bytes <= buffer.address);
      }
      made.push_back(buffer);
    }
  }
}

TEST_F(VulkanMemoryTest, TheHostSeesStagingAndUnifiedMemory) {
  const Buffer staging = allocate(4096), device = allocate(4096, MemoryKind::kDevice);
  ASSERT_NE(staging.host, nullptr);
  std::memset(staging.host, 0x5a, staging.bytes);
  EXPECT_EQ(staging.host[4095], std::byte{0x5a});
  EXPECT_EQ(device.host != nullptr, device_->info().unified);
}

TEST_F(VulkanMemoryTest, ABufferAboveTheCapIsTooLarge) {
  const size_t cap = device_->info().max_buffer_bytes;
  if (cap == SIZE_MAX) GTEST_SKIP() << "no Vulkan device with a cap on buffers";
  Buffer untouched;
  EXPECT_EQ(device_->allocate(cap + 1, MemoryKind::kDevice, untouched), Status::kTooLarge);
  EXPECT_EQ(untouched.address, 0U);
}

TEST_F(VulkanMemoryTest, TheBudgetCountsWhatIsHeld) {
  const MemoryBudget before = device_->memory_budget();
  EXPECT_GT(before.budget, 0U);
  const Buffer buffer = allocate(size_t{64} << 20, MemoryKind::kDevice);
  if (device_->info().type != DeviceType::kSoftware) {
    EXPECT_GE(device_->memory_budget().used, before.used + buffer.bytes);
  }
}

TEST_F(VulkanMemoryTest, ResidencyIsAHintWhereTheDeviceTakesIt) {
  const Buffer buffer = allocate(1 << 20, MemoryKind::kDevice);
  EXPECT_EQ(device_->set_resident(buffer, true), device_->can_wire());
  EXPECT_EQ(device_->set_resident(buffer, false), device_->can_wire());
}

// Pages of the host with known bytes.
class Pages {
 public:
  explicit Pages(size_t bytes) : bytes_(bytes) {
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory_ = static_cast<std::byte*>(mapped);
    for (size_t i = 0; i < bytes; ++i) memory_[i] = static_cast<std::byte>(i * 7 + i / 251);
  }
  ~Pages() { munmap(memory_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::byte* get() const { return memory_; }

 private:
  std::byte* memory_;
  size_t bytes_;
};

TEST_F(VulkanMemoryTest, ImportedHostMemoryIsReadAndWrittenInPlace) {
  constexpr size_t kBytes = 65536;
  const Pages pages(kBytes);
  Buffer imported;
  const Status status = device_->import_host(pages.get(), kBytes, imported);
  if (status == Status::kDenied) GTEST_SKIP() << "no Vulkan device that imports host memory";
  ASSERT_EQ(status, Status::kOk);
  EXPECT_EQ(imported.host, pages.get());
  EXPECT_EQ(imported.bytes, kBytes);
  const Buffer copy = allocate(kBytes);
  const auto list = device_->new_command_list();
  list->copy(whole(imported, AccessKind::kRead), whole(copy, AccessKind::kWrite));
  list->barrier();
  Access tail = whole(imported, AccessKind::kWrite);
  tail.region.address += kBytes - 16;
  tail.region.row_bytes = 16;
  list->fill(tail, 0xabababab);
  ASSERT_EQ(run(*list), Status::kOk);
  EXPECT_EQ(std::memcmp(copy.host, pages.get(), kBytes - 16), 0);
  EXPECT_NE(copy.host[kBytes - 1], std::byte{0xab});
  EXPECT_EQ(pages.get()[kBytes - 1], std::byte{0xab});
  device_->release(imported);
}

TEST_F(VulkanMemoryTest, TheSameMemoryCanBeImportedTwiceAndInPart) {
  constexpr size_t kBytes = 65536;
  const Pages pages(kBytes);
  Buffer first, second, part;
  if (device_->import_host(pages.get(), kBytes, first) == Status::kDenied) {
    GTEST_SKIP() << "no Vulkan device that imports host memory";
  }
  ASSERT_EQ(device_->import_host(pages.get(), 1000, second), Status::kOk);
  ASSERT_EQ(device_->import_host(pages.get() + 4096, 4096, part), Status::kOk);
  EXPECT_EQ(second.bytes, 1000U);
  // An address behind the parts is one of the whole.
  const Buffer copy = allocate(4);
  Access from = whole(copy, AccessKind::kRead);
  from.region.address = first.address + 32768;
  const auto list = device_->new_command_list();
  list->copy(from, whole(copy, AccessKind::kWrite));
  EXPECT_EQ(run(*list), Status::kOk);
  EXPECT_EQ(std::memcmp(copy.host, pages.get() + 32768, 4), 0);
  for (const Buffer& buffer : {part, first, second}) device_->release(buffer);
}

TEST_F(VulkanMemoryTest, UnalignedHostMemoryIsDenied) {
  const Pages pages(65536);
  Buffer untouched;
  EXPECT_EQ(device_->import_host(pages.get() + 64, 4096, untouched), Status::kDenied);
  EXPECT_EQ(untouched.address, 0U);
}

}  // namespace
}  // namespace plimsoll::hal::vulkan
