#include "memory/slab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "memory/fake_board.h"

namespace plimsoll::memory {
namespace {

TEST(SlabClasses, HoldEverySizeTightlyAndAligned) {
  size_t last = SIZE_MAX;
  for (size_t bytes = 1; bytes <= kMaxSlotBytes; ++bytes) {
    const size_t size_class = slot_class(bytes);
    const size_t slot = slot_bytes(size_class);
    ASSERT_LT(size_class, kSlotClasses);
    ASSERT_GE(slot, bytes);
    ASSERT_LT(slot - bytes, std::max<size_t>(64, bytes / 8)) << bytes;
    ASSERT_EQ(slot % (bytes >= 64 ? 64 : 16), 0u) << bytes;
    ASSERT_TRUE(size_class == last || size_class == last + 1) << bytes;
    last = size_class;
  }
  EXPECT_EQ(last, kSlotClasses - 1);
  EXPECT_EQ(slot_bytes(last), kMaxSlotBytes);
}

class SlabHeapTest : public testing::Test {
 protected:
  SlabHeapTest() : block_(4 * kSpanBytes) {
    block_.place({nullptr, 1 << 20, 4 * kSpanBytes, 0});
    heap_.add(block_);
  }

  Buffer take(size_t bytes, uint32_t stream = 0) {
    Buffer buffer;
    EXPECT_TRUE(heap_.take(bytes, stream, SlabHeap::From::kOwnStream, buffer));
    SlabHeap::settle(static_cast<Span&>(*static_cast<Handle*>(buffer.record)));
    EXPECT_TRUE(heap_.is_valid());
    return buffer;
  }

  SlabBlock block_;
  SlabHeap heap_;
};

TEST_F(SlabHeapTest, GivesEachSlotOnce) {
  std::vector<bool> seen(kSpanBytes * 4 / 48);
  std::vector<Buffer> taken;
  for (size_t i = 0; i < 4 * (kSpanBytes / 48); ++i) {
    taken.push_back(take(48));
    const size_t offset = taken.back().address - block_.block.address;
    const size_t index = offset / kSpanBytes * (kSpanBytes / 48) + offset % kSpanBytes / 48;
    ASSERT_EQ(offset % kSpanBytes % 48, 0u);
    ASSERT_FALSE(seen[index]);
    seen[index] = true;
  }
  Buffer none;
  EXPECT_FALSE(heap_.take(48, 0, SlabHeap::From::kAnyStream, none));
  for (const Buffer& buffer : taken) EXPECT_TRUE(heap_.put(buffer, {}));
  EXPECT_TRUE(heap_.is_valid());
  EXPECT_EQ(block_.live, 0u);
}

TEST_F(SlabHeapTest, SpansWithoutLiveSlotsServeOtherSizes) {
  std::vector<Buffer> large;
  for (int i = 0; i < 16; ++i) large.push_back(take(4096));
  Buffer none;
  EXPECT_FALSE(heap_.take(16, 0, SlabHeap::From::kAnyStream, none));
  for (const Buffer& buffer : large) heap_.put(buffer, {});
  for (int i = 0; i < 3 * 1024; ++i) take(16);
  EXPECT_FALSE(heap_.take(16, 0, SlabHeap::From::kAnyStream, none)) << "one span stays with the large slots";
}

TEST_F(SlabHeapTest, StreamsHaveSpansOfTheirOwn) {
  const Buffer a = take(16, 1);
  const Buffer b = take(16, 2);
  EXPECT_NE(a.record, b.record);
}

TEST_F(SlabHeapTest, ASpanThatChangesHandsKeepsItsUses) {
  std::vector<Buffer> slots;
  for (int i = 0; i < 5; ++i) slots.push_back(take(4096, 1));
  heap_.put(slots[4], {});
  for (int i = 0; i < 4; ++i) heap_.put(slots[static_cast<size_t>(i)], {1, 7});
  const Buffer other = take(16, 2);
  EXPECT_EQ(other.record, slots[0].record);
  FakeBoard board;
  std::vector<Use> uses;
  SlabHeap::order(static_cast<Span&>(*static_cast<Handle*>(other.record)), 2, board, uses);
  EXPECT_EQ(uses, (std::vector<Use>{{1, 7}}));
  EXPECT_FALSE(block_.done(board));
  board.finish({1, 7});
  EXPECT_TRUE(block_.done(board));
}

TEST_F(SlabHeapTest, UntakeInReverseOrderLeavesNoTrace) {
  const Buffer kept = take(4096);
  for (int round = 0; round < 2; ++round) {
    std::vector<Buffer> taken(9);
    for (Buffer& buffer : taken) ASSERT_TRUE(heap_.take(4096, 0, SlabHeap::From::kOwnStream, buffer));
    EXPECT_EQ(taken[8].address, kept.address + 2 * kSpanBytes + 4096);
    for (size_t i = taken.size(); i-- > 0;) heap_.untake(taken[i]);
    EXPECT_TRUE(heap_.is_valid());
  }
  EXPECT_EQ(heap_.live_bytes(), 4096u);
}

}  // namespace
}  // namespace plimsoll::memory
