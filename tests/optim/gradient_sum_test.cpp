#include "optim/gradient_sum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Notes what is summed up: the first element and how many.
class NotingRanks final : public Communicator {
 public:
  explicit NotingRanks(const double* origin) : origin_(origin) {}
  int rank() const override { return 1; }
  int size() const override { return 2; }
  void all_reduce(const Tensor& x) override { parts.emplace_back(x.data<double>() - origin_, x.size()); }
  void reduce_scatter(const Tensor&, DType) override {}
  void all_gather(const Tensor&) override {}
  void finish() override { ++finishes; }
  void broadcast(std::span<std::byte>) override {}
  std::vector<std::byte> gather(std::span<const std::byte>) override { return {}; }

  int finishes = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> parts;

 private:
  const double* origin_;
};

TEST(GradientSum, SumsPartsAsTheyBecomeFinal) {
  std::vector<double> elements(10);
  NotingRanks ranks(elements.data());
  GradientSum sum({1, 10, DType::f64, elements.data(), std::make_shared<int>()}, ranks, 4);
  sum.final_from(&elements[8]);
  EXPECT_THAT(ranks.parts, IsEmpty());
  sum.final_from(&elements[6]);
  EXPECT_THAT(ranks.parts, ElementsAre(Pair(6, 4)));
  sum.final_from(&elements[5]);
  EXPECT_EQ(ranks.parts.size(), 1U);
  EXPECT_EQ(ranks.finishes, 0);
  sum.finish();
  EXPECT_THAT(ranks.parts, ElementsAre(Pair(6, 4), Pair(2, 4), Pair(0, 2)));
  EXPECT_EQ(ranks.finishes, 1);
  sum.finish();
  EXPECT_EQ(ranks.parts.size(), 3U) << "each once";
}

TEST(GradientSum, HasTheSamePartsWithoutABackwardPass) {
  std::vector<double> elements(10);
  NotingRanks ranks(elements.data());
  GradientSum({1, 10, DType::f64, elements.data(), std::make_shared<int>()}, ranks, 4).finish();
  EXPECT_THAT(ranks.parts, ElementsAre(Pair(6, 4), Pair(2, 4), Pair(0, 2)));
}

}  // namespace
}  // namespace nmt
