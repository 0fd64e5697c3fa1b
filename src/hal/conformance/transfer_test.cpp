// Copies and fills move bytes, all of them and no others, in the order that barriers give them.
#include <random>

#include "hal/conformance/subject.h"

namespace plimsoll::hal::conformance {
namespace {

class TransferConformance : public Conformance {
 protected:
  // Staging that holds reproducible noise.
  Buffer noise(size_t bytes, uint32_t seed) {
    const Buffer buffer = staging(bytes);
    std::mt19937 random(seed);
    for (size_t i = 0; i < bytes; ++i) buffer.host[i] = static_cast<std::byte>(random());
    return buffer;
  }

  Buffer blank(size_t bytes) {
    const Buffer buffer = staging(bytes);
    std::memset(buffer.host, 0, bytes);
    return buffer;
  }
};

TEST_P(TransferConformance, FillsTheseWordsAndNoOthers) {
  const Buffer buffer = blank(4096);
  const auto list = device_->new_command_list();
  list->fill(write_of(buffer, 8, 400), 0xdecafbad);
  list->fill(write_of(buffer, 1000, 4), 7);
  run(*list);
  for (size_t i = 0; i < 1024; ++i) {
    const uint32_t expected = i >= 2 && i < 102 ? 0xdecafbad : i == 250 ? 7 : 0;
    ASSERT_EQ(word(buffer, i), expected) << "word " << i;
  }
}

TEST_P(TransferConformance, CopiesBetweenStagingBuffers) {
  const Buffer from = noise(1 << 20, 1), to = blank(1 << 20);
  const auto list = device_->new_command_list();
  list->copy(read_of(from, 4096, 500'000), write_of(to, 64, 500'000));
  run(*list);
  EXPECT_EQ(std::memcmp(to.host + 64, from.host + 4096, 500'000), 0);
  EXPECT_EQ(word(to, 15), 0u);
  EXPECT_EQ(word(to, (64 + 500'000) / 4), 0u);
}

TEST_P(TransferConformance, MovesBytesThroughDeviceMemory) {
  constexpr size_t kBytes = (8 << 20) + 4;
  const Buffer from = noise(kBytes, 2), to = blank(kBytes);
  const Buffer there = allocate(kBytes, MemoryKind::kDevice), further = allocate(kBytes, MemoryKind::kDevice);
  const auto list = device_->new_command_list();
  list->copy(read_of(from, 0, kBytes), write_of(there, 0, kBytes));
  list->barrier();
  list->copy(read_of(there, 0, kBytes), write_of(further, 0, kBytes));
  list->barrier();
  list->copy(read_of(further, 0, kBytes), write_of(to, 0, kBytes));
  run(*list);
  EXPECT_EQ(std::memcmp(to.host, from.host, kBytes), 0);
}

TEST_P(TransferConformance, MovesOddSizes) {
  const Buffer from = noise(4096, 3), to = blank(4096);
  const Buffer there = allocate(4096, MemoryKind::kDevice);
  for (const size_t bytes : {1, 2, 3, 5, 17, 1023}) {
    for (const size_t offset : {0, 1, 7, 16}) {
      std::memset(to.host, 0, 4096);
      const auto list = device_->new_command_list();
      list->copy(read_of(from, offset, bytes), write_of(there, 3, bytes));
      list->barrier();
      list->copy(read_of(there, 3, bytes), write_of(to, offset + 1, bytes));
      run(*list);
      EXPECT_EQ(std::memcmp(to.host + offset + 1, from.host + offset, bytes), 0) << bytes << " from " << offset;
      EXPECT_EQ(to.host[offset], std::byte{0});
      EXPECT_EQ(to.host[offset + 1 + bytes], std::byte{0});
    }
  }
}

TEST_P(TransferConformance, OrdersCommandsByBarrier) {
  const Buffer a = blank(1 << 20), b = blank(1 << 20);
  const auto list = device_->new_command_list();
  for (uint32_t round = 1; round <= 20; ++round) {
    list->fill(write_of(a, 0, 1 << 20), round);
    list->barrier();
    list->copy(read_of(a, 0, 1 << 20), write_of(b, 0, 1 << 20));
    list->barrier();
    list->fill(write_of(a, 0, 1 << 20), 0);
    list->barrier();
  }
  run(*list);
  for (size_t i = 0; i < (1 << 18); i += 4099) ASSERT_EQ(word(b, i), 20u) << "word " << i;
  EXPECT_EQ(word(a, 0), 0u);
}

TEST_P(TransferConformance, ForgetsWhatALabelSays) {
  const Buffer buffer = blank(64);
  const auto list = device_->new_command_list();
  list->label("first");
  list->fill(write_of(buffer, 0, 64), 1);
  list->label("second");
  list->barrier();
  list->fill(write_of(buffer, 0, 4), 2);
  run(*list);
  EXPECT_EQ(word(buffer, 0), 2u);
  EXPECT_EQ(word(buffer, 15), 1u);
}

}  // namespace

PLIMSOLL_CONFORMANCE(TransferConformance);

}  // namespace plimsoll::hal::conformance
