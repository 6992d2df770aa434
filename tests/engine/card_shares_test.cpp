#include "engine/card_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::vector<std::string> kProcesses = {"rank 0", "rank 1", "rank 2"};

CardClaim all_of(std::vector<std::string> cards) {
  return {std::move(cards), false};
}
CardClaim one_of(std::vector<std::string> cards) {
  return {std::move(cards), true};
}
std::vector<Part> shares(const std::vector<CardClaim>& claims) {
  return partition_cards(claims, kProcesses);
}

TEST(CardPartition, ProcessesThatSeeOthersTakeAllOfTheirs) {
  EXPECT_THAT(shares({all_of({"a", "b"}), all_of({"c"})}), ElementsAre(Part{0, 2}, Part{0, 1}));
  EXPECT_THAT(shares({one_of({"a"}), one_of({"b"})}), ElementsAre(Part{0, 1}, Part{0, 1}));
}

TEST(CardPartition, ThoseThatSeeTheSamePartitionThem) {
  EXPECT_THAT(shares({all_of({"a", "b", "c", "d", "e"}), all_of({"f"}), all_of({"a", "b", "c", "d", "e"})}),
              ElementsAre(Part{0, 2}, Part{0, 1}, Part{2, 3}));
  EXPECT_THAT(shares({one_of({"a", "b", "c", "d"}), one_of({"a", "b", "c", "d"})}),
              ElementsAre(Part{0, 1}, Part{1, 1}));
}

TEST(CardPartition, TheCpuIsThereForAll) {
  EXPECT_THAT(shares({all_of({}), all_of({}), all_of({"a"})}),
              ElementsAre(Part{0, 0}, Part{0, 0}, Part{0, 1}));
}

TEST(CardPartition, MoreProcessesThanCardsAreRefused) {
  for (const bool alone : {false, true}) {
    EXPECT_THAT(
        [&] {
          shares(std::vector<CardClaim>(3, {{"a", "b"}, alone}));
        },
        ThrowsMessage<UsageError>(HasSubstr("3 processes are to share 2 cards: start no more of them on a "
                                            "machine than it has cards")));
  }
}

TEST(CardPartition, CardsThatSomeShareAreRefused) {
  EXPECT_THAT(
      [] {
        shares({all_of({"c"}), all_of({"a", "b"}), all_of({"b"})});
      },
      ThrowsMessage<UsageError>(HasSubstr("rank 2 has a card of rank 1, but not the same ones")));
}

}  // namespace
}  // namespace nmt
