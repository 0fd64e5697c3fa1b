#include "memory/ledger.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace plimsoll::memory {
namespace {

TEST(Ledger, MovesBytesBetweenClasses) {
  Ledger ledger({.memory = 1000});
  ledger.block_added(600);
  EXPECT_EQ(ledger.cached(), 600u);
  ledger.take(200);
  ledger.map(100);
  ledger.note_peaks();
  EXPECT_EQ(ledger.active(), 200u);
  EXPECT_EQ(ledger.peak(), 300u);
  EXPECT_EQ(ledger.peak_cache(), 400u);
  ledger.put(200);
  ledger.block_dropped(600);
  EXPECT_EQ(ledger.cached(), 0u);
  EXPECT_EQ(ledger.held(), 700u);
  ledger.block_returned(600);
  EXPECT_EQ(ledger.held(), 100u);
  EXPECT_EQ(ledger.blocks(), 0u);
  EXPECT_TRUE(ledger.is_valid());
}

TEST(Ledger, SaysByHowMuchALimitIsPassed) {
  Ledger ledger({.memory = 1000});
  ledger.block_added(400);
  ledger.block_added(300);
  ledger.block_dropped(300);
  EXPECT_EQ(ledger.excess(300), 0u);
  EXPECT_EQ(ledger.excess(500), 200u);
  EXPECT_EQ(ledger.excess_without_returning(700), 100u);
  EXPECT_EQ(ledger.shortfall(400, 600), 0u);
  EXPECT_EQ(ledger.shortfall(400, 601), 1u);
  EXPECT_EQ(ledger.shortfall(0, SIZE_MAX), SIZE_MAX - 1000);
}

TEST(Ledger, AfterALowerLimitHoldingsMayOnlyShrink) {
  Ledger ledger({.memory = 1000});
  ledger.block_added(800);
  ledger.set_memory_limit(100);
  EXPECT_TRUE(ledger.is_valid());
  ledger.block_added(1);
  EXPECT_FALSE(ledger.is_valid());
  ledger.block_dropped(801);
  ledger.block_returned(801);
  ledger.block_added(101);
  EXPECT_FALSE(ledger.is_valid());
}

}  // namespace
}  // namespace plimsoll::memory
