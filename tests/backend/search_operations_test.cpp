// Ranking and extending hypotheses, for handmade cases.
#include <gmock/gmock.h>

#include <limits>
#include <optional>

#include "backend/candidates.h"
#include "backend/device.h"

namespace nmt::testing {
namespace {

using ::testing::ElementsAre;

constexpr double kNone = -std::numeric_limits<double>::infinity();

/// All other backends are compared with the reference, so the reference itself must be right.
std::vector<DeviceSettings> candidates_and_reference() {
  std::vector<DeviceSettings> all = candidates(1);
  all.push_back({.device = "reference"});
  return all;
}

class SearchOperations : public CandidateTest, public ::testing::WithParamInterface<DeviceSettings> {
 protected:
  void SetUp() override {
    open(GetParam());
    if (!IsSkipped()) device_.emplace(open_backend(settings()));
  }
  SequenceOffsets sequence(std::int32_t rows) {
    return {device_->integers(1, 1, {0}), device_->integers(1, 1, {rows}), 1, rows};
  }
  /// Ranks a sentence of two hypotheses with two continuations each.
  std::vector<double> ranked(const std::vector<double>& total, const std::vector<double>& values,
                             const std::vector<std::int32_t>& ids, std::int64_t kept) {
    const Tensor ranking = device_->zero_doubles(1, kept * kContinuation);
    device_->backend().run(RankContinuations{.values = device_->master(2, 2, values),
                                             .ids = device_->integers(2, 2, ids),
                                             .total = device_->doubles(total),
                                             .sentences = sequence(2),
                                             .ranking = ranking});
    return device_->read(ranking);
  }

  std::optional<Device> device_;
};

TEST_P(SearchOperations, TiesGoToTheLowerHypothesisThenTheLowerId) {
  EXPECT_THAT(ranked({-1, -2}, {-2, -2, -1, 0}, {9, 4, 1, 8}, 4),
              ElementsAre(-2, 1, 8, -3, 0, 4, -3, 0, 9, -3, 1, 1));
}

TEST_P(SearchOperations, WhatIsMaskedOrNotThereComesLast) {
  EXPECT_THAT(ranked({-1, kNone}, {-3, kNone, -1, 0}, {5, 3, 3, 5}, 5),
              ElementsAre(-4, 0, 5, kNone, 0, 3, kNone, 1, 3, kNone, 1, 5, kNone, 0, -1));
}

TEST_P(SearchOperations, WhatIsNoNumberIsSeenFirst) {
  const std::vector<double> ranking = ranked({-1, -2}, {-2, -2, -1, -std::nan("")}, {9, 4, 1, 8}, 2);
  EXPECT_TRUE(std::isnan(ranking[0]));
  EXPECT_THAT(std::vector(ranking.begin() + 1, ranking.end()), ElementsAre(1, 8, -3, 0, 4));
}

// Two hypotheses at position 1, which share row 6 and whose last rows are 2 and 0. The second one has two
// successors and the first one none, so row 2 becomes free.
TEST_P(SearchOperations, RowsThatNobodySeesAreTakenAgain) {
  constexpr std::int32_t kEnd = 4;
  const Hypotheses after{device_->zero_doubles(1, 3), device_->zero_integers(2, 3),
                         device_->zero_integers(1, 3), device_->zero_integers(3, 3)};
  const Tensor held = device_->zero_integers(1, 2), taken = device_->zero_integers(1, 1);
  device_->backend().run(
      ExtendHypotheses{.before = {device_->doubles({-1, -2}), device_->zero_integers(2, 2),
                                  device_->integers(1, 2, {1, 1}), device_->integers(2, 2, {6, 2, 6, 0})},
                       .ranking = device_->doubles({-3, 0, kEnd, -4, 1, 8, -5, 1, kEnd, -6, 1, 5}),
                       .after = after,
                       .sentences = {device_->integers(1, 2, {0, 2}), device_->integers(1, 2, {2, 1}), 2, 2},
                       .number_before = device_->integers(1, 2, {0, -1}),
                       .row_before = device_->integers(1, 2, {0, 0}),
                       .starts = device_->integers(1, 2, {7, -1}),
                       .end = kEnd,
                       .taken = taken,
                       .held = held});
  EXPECT_THAT(device_->read(after.total), ElementsAre(-4, -6, 0));
  EXPECT_THAT(device_->read(after.token), ElementsAre(8, 5, 7, 8, 5, -1));
  EXPECT_THAT(device_->read(after.position), ElementsAre(2, 2, 0));
  EXPECT_THAT(device_->read(after.index), ElementsAre(6, 0, 1, 6, 0, 2, 3, 0, 0));
  EXPECT_THAT(device_->read(held), ElementsAre(4, 1));
  EXPECT_THAT(device_->read(taken), ElementsAre(0));
}

INSTANTIATE_TEST_SUITE_P(Backends, SearchOperations, ::testing::ValuesIn(candidates_and_reference()),
                         [](const auto& parameter) { return name_of(parameter.param); });

}  // namespace
}  // namespace nmt::testing
