#include "nn/weights/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kShardElements = 3000 * kPartAlignment, kShardVectors = 5 * kPartAlignment;

TEST(Shard, OfOneRankIsEverything) {
  for (const bool divided : {false, true}) {
    const Shard shard(kShardElements, kShardVectors, 0, 1, divided, 10'000);
    EXPECT_FALSE(shard.divided());
    EXPECT_EQ(shard.size(), kShardElements);
    ASSERT_EQ(shard.pieces().size(), 1U);
    EXPECT_EQ(shard.pieces()[0].part, (Part{0, kShardElements}));
  }
}

TEST(Shard, BucketsHavePartsOfEqualSizeButTheLastOne) {
  const Shard shard(kShardElements, kShardVectors, 0, 3, true, 10'000);
  EXPECT_EQ(shard.buckets()[0], (Part{kShardElements - 9984, 9984})) << "52 * 3 * 64";
  EXPECT_EQ(shard.buckets().back().begin, kShardVectors);
  for (std::size_t i = 0; i + 1 < shard.buckets().size(); ++i) {
    EXPECT_EQ(shard.buckets()[i].size % (3 * kPartAlignment), 0);
    EXPECT_EQ(shard.buckets()[i + 1].begin + shard.buckets()[i + 1].size, shard.buckets()[i].begin);
  }
  EXPECT_EQ(Shard(6400, 0, 0, 64, true, 100).buckets().size(), 2U) << "a part is not too small";
}

TEST(Shard, RanksHaveVectorsTogetherAndEachMatrixElementOnce) {
  for (const int ranks : {2, 3, 7}) {
    std::vector<int> owners(kShardElements);
    for (int rank = 0; rank < ranks; ++rank) {
      const Shard shard = Shard(kShardElements, kShardVectors, 0, ranks, true, 10'000).of(rank);
      EXPECT_LT(shard.size(), kShardElements / ranks + kShardVectors + 20 * kPartAlignment);
      std::int64_t place = 0, last = 0;
      for (const Shard::Piece& piece : shard.pieces()) {
        EXPECT_EQ(piece.place, place);
        EXPECT_GE(piece.part.begin, last);
        EXPECT_EQ(piece.is_shared, piece.part.begin == 0);
        place += piece.part.size;
        last = piece.part.begin + piece.part.size;
        for (std::int64_t i = piece.part.begin; i < last; ++i) ++owners[static_cast<std::size_t>(i)];
      }
      EXPECT_EQ(place, shard.size());
    }
    for (std::int64_t i = 0; i < kShardElements; ++i)
      ASSERT_EQ(owners[static_cast<std::size_t>(i)], i < kShardVectors ? ranks : 1) << i;
  }
}

TEST(Shard, FindsWhatItHasAmongElements) {
  const Shard shard(64 * 9, 64, 1, 2, true, 256);  // vectors, [64, 320), [320, 576)
  const auto found = [&](const Part& part) {
    std::vector<std::int64_t> numbers;
    for (const auto& [own, place, is_shared] : shard.pieces_in(part)) {
      for (const std::int64_t number : {own.begin, own.size, place}) numbers.push_back(number);
    }
    return numbers;
  };
  EXPECT_THAT(found({10, 30}), ElementsAre(10, 30, 10));
  EXPECT_THAT(found({64, 128}), ElementsAre());
  EXPECT_THAT(found({200, 300}), ElementsAre(200, 120, 72, 448, 52, 192));
}

}  // namespace
}  // namespace nmt
