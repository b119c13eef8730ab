#include "core/buffers.h"

#include <gtest/gtest.h>

namespace commflow {
namespace {

TEST(Origins, AreAMultiset) {
  Origins from = Origins::of(3);
  from.add(Origins::of(15));
  from.add(Origins::of(3));
  EXPECT_EQ(from.count(3), 2);
  EXPECT_EQ(from.count(15), 1);
  EXPECT_EQ(from.count(0), 0);
  EXPECT_EQ(from.ranks(), (std::vector<Rank>{3, 15}));
  EXPECT_FALSE(from.empty());
  EXPECT_TRUE(Origins{}.empty());
}

TEST(Origins, StayAtFifteenAndLeaveTheNeighboursAlone) {
  Origins many = Origins::of(7);
  for (int i = 0; i < 5; ++i) many.add(many);
  EXPECT_EQ(many.count(7), 15);
  many.add(Origins::of(8));
  EXPECT_EQ(many.count(7), 15);
  EXPECT_EQ(many.count(8), 1);
  EXPECT_EQ(many.ranks(), (std::vector<Rank>{7, 8}));
}

TEST(Buffers, BeginEmpty) {
  const Buffers buffers(2, {1, 0, 3});
  EXPECT_EQ(buffers.ranks(), 2);
  EXPECT_EQ(buffers.slots(), 3);
  EXPECT_EQ(buffers.width(2), 3);
  for (Rank rank = 0; rank < 2; ++rank) {
    for (const Area area : {Area::in, Area::out}) {
      EXPECT_FALSE(buffers.filled({rank, area, 1}));
      EXPECT_EQ(std::vector<Value>(3, 0),
                std::vector<Value>(buffers.values({rank, area, 2}).begin(), buffers.values({rank, area, 2}).end()));
    }
  }
}

TEST(Buffers, KeepEverySlotApart) {
  const std::vector<int> widths{2, 0, 1};
  Buffers buffers(3, widths);
  Value next = 1;
  for (Rank rank = 0; rank < 3; ++rank) {
    for (const Area area : {Area::in, Area::out}) {
      for (int slot = 0; slot < 3; ++slot) {
        const std::vector<Value> values(static_cast<std::size_t>(widths[static_cast<std::size_t>(slot)]), next++);
        buffers.put({rank, area, slot}, values, Origins::of(rank));
      }
    }
  }
  next = 1;
  for (Rank rank = 0; rank < 3; ++rank) {
    for (const Area area : {Area::in, Area::out}) {
      for (int slot = 0; slot < 3; ++slot, ++next) {
        EXPECT_EQ(buffers.from({rank, area, slot}), Origins::of(rank));
        for (const Value value : buffers.values({rank, area, slot})) EXPECT_EQ(value, next);
      }
    }
  }
}

TEST(Buffers, ASlotOfWidthZeroCanBeFilled) {
  Buffers buffers(1, {0});
  EXPECT_FALSE(buffers.filled({0, Area::in, 0}));
  buffers.put({0, Area::in, 0}, {}, Origins::of(0));
  EXPECT_TRUE(buffers.filled({0, Area::in, 0}));
}

TEST(Buffers, KnowTheirBounds) {
  const Buffers buffers(2, {1, 1});
  EXPECT_TRUE(buffers.contains({1, Area::out, 1}));
  EXPECT_FALSE(buffers.contains({2, Area::out, 1}));
  EXPECT_FALSE(buffers.contains({-1, Area::out, 1}));
  EXPECT_FALSE(buffers.contains({1, Area::out, 2}));
  EXPECT_FALSE(buffers.contains({1, Area::out, -1}));
}

}  // namespace
}  // namespace commflow
