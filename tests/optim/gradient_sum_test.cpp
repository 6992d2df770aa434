#include "optim/gradient_sum.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nmt {
namespace {

/// Records each request: its kind, its first element and its number of elements.
class NotingRanks final : public Communicator {
 public:
  explicit NotingRanks(const double* origin) : origin_(origin) {}
  int rank() const override { return 1; }
  int size() const override { return 2; }
  void all_reduce(const Tensor& x) override { note("sum", x); }
  void reduce_scatter(const Tensor& x, DType travel) override {
    EXPECT_EQ(travel, DType::bf16);
    note("scatter", x);
  }
  void all_gather(const Tensor& x) override { note("gather", x); }
  void finish() override { notes += "finish"; }
  void broadcast(std::span<std::byte>) override {}
  std::vector<std::byte> gather(std::span<const std::byte>) override { return {}; }

  std::string notes;

 private:
  void note(const char* kind, const Tensor& x) {
    notes += fmt::format("{} {}+{}, ", kind, x.data<double>() - origin_, x.size());
  }

  const double* origin_;
};

class GradientSumTest : public ::testing::Test {
 protected:
  /// Buckets of 256 elements.
  Shard shard(bool divided) const { return {kElements, 64, 1, 2, divided, 300}; }
  GradientSum sum(const Shard& shard) {
    return {
        {1, kElements, DType::f64, elements_.data(), std::make_shared<int>()}, shard, ranks_, DType::bf16};
  }
  /// Returns the requests since the last call.
  std::string asked() { return std::exchange(ranks_.notes, ""); }

  static constexpr std::int64_t kElements = 704;
  std::vector<double> elements_{std::vector<double>(kElements)};
  NotingRanks ranks_{elements_.data()};
};

TEST_F(GradientSumTest, SumsBucketsAsTheyBecomeFinal) {
  const Shard division = shard(true);
  GradientSum sum = this->sum(division);
  sum.final_from(&elements_[500]);
  EXPECT_EQ(asked(), "");
  sum.final_from(&elements_[448]);
  EXPECT_EQ(asked(), "scatter 448+256, ");
  sum.final_from(&elements_[200]);
  EXPECT_EQ(asked(), "");
  sum.finish();
  EXPECT_EQ(asked(), "scatter 192+256, scatter 64+128, sum 0+64, finish");
}

TEST_F(GradientSumTest, GivesAllRanksTheSumsWhereNothingIsDivided) {
  const Shard whole = shard(false);
  sum(whole).finish();
  EXPECT_EQ(
      asked(),
      "scatter 448+256, gather 448+256, scatter 192+256, gather 192+256, scatter 64+128, gather 64+128, "
      "sum 0+64, finish");
}

}  // namespace
}  // namespace nmt
