// Allocation: alignment, visibility, caps, release.
#include <sys/mman.h>
#include <unistd.h>

#include "hal/conformance/subject.h"

namespace plimsoll::hal::conformance {
namespace {

class MemoryConformance : public Conformance {};

constexpr MemoryKind kKinds[] = {MemoryKind::kDevice, MemoryKind::kStaging};

TEST_P(MemoryConformance, AlignsWhatItAllocates) {
  ASSERT_GE(device_->info().buffer_alignment, 64u);
  for (const MemoryKind kind : kKinds) {
    for (const size_t bytes : {size_t{1}, size_t{63}, size_t{64}, size_t{4097}, size_t{3} << 20}) {
      const Buffer buffer = allocate(bytes, kind);
      EXPECT_NE(buffer.address, 0u);
      EXPECT_EQ(buffer.address % device_->info().buffer_alignment, 0u) << bytes;
      EXPECT_GE(buffer.bytes, bytes);
      EXPECT_EQ(buffer.kind, kind);
    }
  }
}

TEST_P(MemoryConformance, AllocatesBuffersApart) {
  std::vector<Buffer> buffers;
  for (int i = 0; i < 40; ++i) buffers.push_back(allocate(1000 + 300 * static_cast<size_t>(i), kKinds[i % 2]));
  for (const Buffer& a : buffers) {
    for (const Buffer& b : buffers) {
      if (&a == &b) continue;
      EXPECT_FALSE(overlap({a.address, a.bytes, a.bytes, 1}, {b.address, b.bytes, b.bytes, 1}));
    }
  }
}

TEST_P(MemoryConformance, ShowsStagingToTheHost) {
  const Buffer buffer = staging(100'000);
  ASSERT_NE(buffer.host, nullptr);
  std::memset(buffer.host, 0x5a, buffer.bytes);
  EXPECT_EQ(word(buffer, 24'999), 0x5a5a5a5au);
}

TEST_P(MemoryConformance, ShowsDeviceMemoryWhereItIsShared) {
  const Buffer buffer = allocate(4096, MemoryKind::kDevice);
  ASSERT_EQ(buffer.host != nullptr, device_->info().unified);
  if (buffer.host == nullptr) return;
  std::memset(buffer.host, 0x17, 4096);
  EXPECT_EQ(word(buffer, 1023), 0x17171717u);
}

TEST_P(MemoryConformance, RefusesBuffersAboveItsCap) {
  const size_t cap = device_->info().max_buffer_bytes;
  if (cap == SIZE_MAX) GTEST_SKIP() << GetParam().name << " states no cap";
  Buffer buffer;
  buffer.address = 77;
  EXPECT_EQ(device_->allocate(cap + 1, MemoryKind::kDevice, buffer), Status::kTooLarge);
  EXPECT_EQ(buffer.address, 77u) << "set on kOk only";
}

TEST_P(MemoryConformance, RefusesWhatNoMachineHas) {
  Buffer buffer;
  const Status status = device_->allocate(size_t{1} << 50, MemoryKind::kDevice, buffer);
  EXPECT_TRUE(status == Status::kDenied || status == Status::kTooLarge) << to_string(status);
}

TEST_P(MemoryConformance, TakesBackWhatItGave) {
  // Together more than a card has. Staging is pinned by some drivers, which takes long.
  for (int i = 0; i < 700; ++i) {
    const bool staging = i % 16 == 0;
    Buffer buffer;
    ASSERT_EQ(device_->allocate(staging ? 64 << 20 : 256 << 20, kKinds[staging ? 1 : 0], buffer), Status::kOk) << i;
    device_->release(buffer);
  }
}

TEST_P(MemoryConformance, TakesABufferBackByAddressKindAndHandle) {
  // What a pool above keeps of a buffer: its own count of bytes is what it asked for.
  Buffer buffer;
  ASSERT_EQ(device_->allocate(100, MemoryKind::kStaging, buffer), Status::kOk);
  buffer.bytes = 100;
  device_->release(buffer);
}

TEST_P(MemoryConformance, CountsItsBudget) {
  const MemoryBudget before = device_->memory_budget();
  EXPECT_GT(before.budget, 0u);
  allocate(16 << 20, MemoryKind::kDevice);
  EXPECT_GE(device_->memory_budget().used, before.used);
}

TEST_P(MemoryConformance, ImportsHostPagesOrSaysNo) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  std::memset(pages, 0x33, 4 * page);
  Buffer imported;
  const Status status = device_->import_host(static_cast<std::byte*>(pages), 4 * page, imported);
  ASSERT_TRUE(status == Status::kOk || status == Status::kDenied) << to_string(status);
  if (status == Status::kOk) {
    const Buffer copied = staging(4 * page);
    const auto list = device_->new_command_list();
    list->copy(read_of(imported, 0, 4 * page), write_of(copied, 0, 4 * page));
    run(*list);
    EXPECT_EQ(word(copied, page - 1), 0x33333333u);
    device_->release(imported);
    EXPECT_EQ(*static_cast<unsigned char*>(pages), 0x33) << "the pages stay their owner's";
  }
  munmap(pages, 4 * page);
}

TEST_P(MemoryConformance, WiresOnlyWhereItSaysSo) {
  const Buffer buffer = allocate(1 << 20, MemoryKind::kDevice);
  EXPECT_EQ(device_->set_resident(buffer, true), device_->can_wire());
  EXPECT_EQ(device_->set_resident(buffer, false), device_->can_wire());
}

TEST_P(MemoryConformance, DescribesItself) {
  const DeviceInfo& info = device_->info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.driver.empty());
  EXPECT_FALSE(info.identity.empty());
  EXPECT_EQ(info.identity.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"),
            std::string::npos)
      << info.identity << " cannot name a file";
  EXPECT_GT(info.memory_bytes, 0u);
  EXPECT_GE(info.max_groups, 65535u);
  EXPECT_GE(info.max_group_size, 128u);
  EXPECT_GE(info.shared_memory_bytes, 16u << 10);
  EXPECT_LE(info.min_subgroup_size, info.subgroup_size);
  EXPECT_LE(info.subgroup_size, info.max_subgroup_size);
  for (const Feature& feature : info.features) EXPECT_EQ(feature.on, feature.reason.empty()) << feature.name;
}

}  // namespace

PLIMSOLL_CONFORMANCE(MemoryConformance);

}  // namespace plimsoll::hal::conformance
