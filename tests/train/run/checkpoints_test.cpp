#include "train/run/checkpoints.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "common/complaint.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CheckpointsTest : public ::testing::Test {
 protected:
  void make(const std::vector<std::string>& names) {
    for (const std::string& name : names) folder_.write(name, "");
  }

  std::vector<std::int64_t> best(std::size_t count, const std::string& metric) {
    return steps(best_checkpoints(run_, count, metric));
  }

  static std::vector<std::int64_t> steps(const std::vector<Checkpoint>& checkpoints) {
    std::vector<std::int64_t> steps;
    steps.reserve(checkpoints.size());
    for (const Checkpoint& checkpoint : checkpoints) steps.push_back(checkpoint.step);
    return steps;
  }

  TemporaryFolder folder_;
  std::string run_ = folder_ / ".";
};

TEST_F(CheckpointsTest, AreListedByStepAndNothingElse) {
  make({"step-00000900.safetensors", "step-100000000.safetensors", "step-00001000.safetensors",
        "last.safetensors", "best.safetensors", "step-x.safetensors", "step-00000001.safetensors.3-0.tmp",
        "step-.safetensors", "config.yml"});
  const std::vector<Checkpoint> found = checkpoints_in(run_);
  EXPECT_THAT(steps(found), ElementsAre(900, 1000, 100000000));
  EXPECT_EQ(found[0].path, run_ + "/step-00000900.safetensors");
}

TEST_F(CheckpointsTest, NewestAreByStep) {
  make({"step-00000300.safetensors", "step-00000100.safetensors", "step-00000200.safetensors"});
  EXPECT_THAT(steps(newest_checkpoints(run_, 2)), ElementsAre(200, 300));
  EXPECT_THAT(steps(newest_checkpoints(run_, 3)), ElementsAre(100, 200, 300));
  EXPECT_THAT(testing::complaint([&] { newest_checkpoints(run_, 4); }),
              HasSubstr("holds 3 checkpoints, not 4"));
}

TEST_F(CheckpointsTest, APlaceThatIsNoRunIsAnError) {
  EXPECT_THAT(checkpoints_in(run_), IsEmpty());
  EXPECT_THAT(testing::complaint([&] { newest_checkpoints(run_, 1); }), HasSubstr("has no checkpoint yet"));
  EXPECT_THAT(testing::complaint([&] { checkpoints_in(folder_ / "missing"); }),
              HasSubstr("missing': No such file"));
  EXPECT_THAT(testing::complaint([&] { best_checkpoints(run_, 1, "loss"); }), HasSubstr("metrics.jsonl'"));
}

TEST_F(CheckpointsTest, TheBestAreByTheMetricAndInTheOrderOfSteps) {
  make({"step-00000010.safetensors", "step-00000020.safetensors", "step-00000030.safetensors",
        "step-00000040.safetensors"});
  folder_.write("metrics.jsonl",
                R"({"event":"train","step":10,"loss":0.1,"perplexity":1}
{"event":"valid","step":5,"loss":0.1,"perplexity":1,"bleu":99}
{"event":"valid","step":10,"loss":4,"perplexity":30,"bleu":20}
{"event":"valid","step":20,"loss":3,"perplexity":50,"bleu":30}
{"event":"valid","step":30,"loss":2,"perplexity":40,"bleu":10}
)");
  EXPECT_THAT(best(1, "loss"), ElementsAre(30));
  EXPECT_THAT(best(2, "loss"), ElementsAre(20, 30));
  EXPECT_THAT(best(2, "perplexity"), ElementsAre(10, 30));
  EXPECT_THAT(best(1, "bleu"), ElementsAre(20));
  EXPECT_THAT(best(3, "bleu"), ElementsAre(10, 20, 30));
  EXPECT_THAT(testing::complaint([&] { best(4, "bleu"); }),
              HasSubstr("holds 3 checkpoints validated by bleu, not 4"));
}

TEST_F(CheckpointsTest, TheLastValidationOfAStepCountsAndWhatIsNoValueDoesNot) {
  make({"step-00000010.safetensors", "step-00000020.safetensors", "step-00000030.safetensors"});
  folder_.write("metrics.jsonl",
                R"({"event":"valid","step":10,"loss":1}
{"event":"valid","step":20,"loss":2}
{"event":"valid","step":10,"loss":3}
{"event":"valid","step":30,"loss":null}
[1]
{"event":7}
{"event":"valid","step":30,"lo)");
  EXPECT_THAT(best(1, "loss"), ElementsAre(20));
  EXPECT_THAT(best(2, "loss"), ElementsAre(10, 20));
  EXPECT_THAT(testing::complaint([&] { best(3, "loss"); }),
              HasSubstr("holds 2 checkpoints validated by loss"));
  EXPECT_THAT(testing::complaint([&] { best(1, "bleu"); }),
              HasSubstr("holds 0 checkpoints validated by bleu, not 1; ask by another figure"));
  EXPECT_THAT(testing::complaint([&] { best(1, "command"); }), HasSubstr("or train with `valid_command`"));
}

TEST_F(CheckpointsTest, OfEquallyGoodOnesTheEarlierIsTaken) {
  make({"step-00000010.safetensors", "step-00000020.safetensors", "step-00000030.safetensors"});
  folder_.write("metrics.jsonl",
                R"({"event":"valid","step":10,"loss":1}
{"event":"valid","step":20,"loss":1}
{"event":"valid","step":30,"loss":2}
)");
  EXPECT_THAT(best(1, "loss"), ElementsAre(10));
}

TEST_F(CheckpointsTest, TheLastValidationOfAStepIsFound) {
  EXPECT_FALSE(validation_of(run_, 10)) << "no such file";
  folder_.write("metrics.jsonl",
                "{\"event\":\"valid\",\"step\":10,\"loss\":3}\n"
                "{\"event\":\"train\",\"step\":20,\"loss\":4}\n"
                "{\"event\":\"valid\",\"step\":10,\"loss\":2,\"bleu\":7.5}\n"
                "[1]\n{\"event\":\"valid\",\"st");
  EXPECT_EQ(validation_of(run_, 10)->at("loss"), 2);
  EXPECT_EQ(validation_of(run_, 10)->at("bleu"), 7.5);
  EXPECT_FALSE(validation_of(run_, 20));
}

std::string validations(const std::vector<std::pair<int, double>>& chrf) {
  std::string lines;
  for (const auto& [step, value] : chrf)
    lines +=
        fmt::format(R"({{"event":"valid","step":{},"perplexity":{},"chrf":{}}})", step, 100 - value, value) +
        "\n";
  return lines;
}

TEST_F(CheckpointsTest, ThoseToAverageAreEvenlySpacedAndCloseToTheBest) {
  const auto chosen = [this](const std::string& figure) {
    return steps(checkpoints_to_average(run_, figure));
  };
  EXPECT_THAT(chosen("chrf"), IsEmpty());
  for (const int step : {180, 360, 540, 720, 900, 1080, 1150})
    folder_.write(fmt::format("step-{:08}.safetensors", step), "");
  EXPECT_THAT(chosen("chrf"), ElementsAre(720, 900, 1080)) << "without validations";
  folder_.write("metrics.jsonl",
                validations({{180, 20}, {360, 40}, {540, 52}, {720, 56}, {900, 58}, {1080, 57}, {1150, 57}}));
  EXPECT_THAT(chosen("chrf"), ElementsAre(720, 900, 1080));
  EXPECT_THAT(chosen("perplexity"), ElementsAre(720, 900, 1080));
  EXPECT_EQ(best_checkpoint(run_, "chrf")->step, 900);
  EXPECT_FALSE(best_checkpoint(run_, "bleu"));
  // A step without a validation gets the mean of its neighbors.
  folder_.write("metrics.jsonl", validations({{180, 20}, {360, 40}, {600, 40}, {900, 58}, {1150, 57}}));
  EXPECT_THAT(chosen("chrf"), ElementsAre(900, 1150));
}

TEST_F(CheckpointsTest, AreRankedByTheirValidations) {
  for (const int step : {100, 200, 300, 400}) folder_.write(fmt::format("step-{:08}.safetensors", step), "");
  const auto ranked = [this](const std::string& figure) {
    return steps(checkpoints_best_first(run_, figure));
  };
  EXPECT_THAT(ranked("chrf"), ElementsAre(400, 300, 200, 100)) << "without validations";
  folder_.write("metrics.jsonl", validations({{100, 40}, {200, 50}, {400, 44}}));
  EXPECT_THAT(ranked("chrf"), ElementsAre(200, 300, 400, 100)) << "the third one is between its neighbors";
  EXPECT_THAT(ranked("ter"), ElementsAre(400, 300, 200, 100)) << "which was not measured";
}

TEST_F(CheckpointsTest, StepsFarApartAreNotAveraged) {
  make({"step-00000222.safetensors", "step-00000810.safetensors"});
  EXPECT_THAT(checkpoints_to_average(run_, "bleu"), IsEmpty())
      << "one of them is of the first half of the run";
  make({"step-00000420.safetensors"});
  folder_.write("metrics.jsonl", R"({"event":"valid","step":420,"bleu":9}
{"event":"valid","step":810,"bleu":15.7}
)");
  EXPECT_THAT(checkpoints_to_average(run_, "bleu"), IsEmpty()) << "one of them is much worse";
}

TEST_F(CheckpointsTest, OfLongSeriesTheNewestAreAveraged) {
  for (int step = 100; step <= 3000; step += 100) {
    const int off = step % 300 == 0 ? 7 : 0;  // as by intervals of time
    folder_.write(fmt::format("step-{:08}.safetensors", step + off), "");
  }
  const std::vector<std::int64_t> chosen = steps(checkpoints_to_average(run_, "chrf"));
  EXPECT_EQ(chosen.size(), 10);
  EXPECT_EQ(chosen.front(), 2107);
  EXPECT_EQ(chosen.back(), 3007);
}

using ::testing::ElementsAre;
using Entry = BestValidations::Entry;

TEST(BestValidations, RemembersTheLowest) {
  BestValidations best("perplexity", 2);
  EXPECT_TRUE(best.add(10, 5));
  EXPECT_TRUE(best.add(20, 7));
  EXPECT_FALSE(best.add(30, 8));
  EXPECT_TRUE(best.add(40, 4));
  EXPECT_THAT(best.entries(), ElementsAre(Entry{40, 4}, Entry{10, 5}));
}

TEST(BestValidations, OfBleuTheHighest) {
  BestValidations best("bleu", 1);
  EXPECT_TRUE(best.add(10, 20.5));
  EXPECT_FALSE(best.add(20, 20));
  EXPECT_TRUE(best.add(30, 21));
  EXPECT_THAT(best.entries(), ElementsAre(Entry{30, 21}));
}

TEST(BestValidations, OfACommandTheHighest) {
  BestValidations best("command", 1);
  best.add(10, 0.7);
  EXPECT_FALSE(best.add(20, 0.6));
  EXPECT_TRUE(best.add(30, 0.8));
}

TEST(BestValidations, OfOtherMetricsTheBetter) {
  for (const std::string figure : {"chrf", "chrf++", "ter"}) {
    BestValidations best(figure, 1);
    best.add(10, 20);
    EXPECT_EQ(best.add(20, 30), figure != "ter") << figure;
    EXPECT_EQ(best.add(30, 10), figure == "ter") << figure;
  }
  EXPECT_TRUE(is_metric("bleu") && is_metric("ter") && !is_metric("loss"));
}

TEST(BestValidations, CountsThoseWithoutImprovement) {
  BestValidations best("loss", 3);
  EXPECT_EQ(best.stalled(), 0);
  best.add(10, 5);
  EXPECT_EQ(best.stalled(), 0);
  best.add(20, 5);
  EXPECT_EQ(best.stalled(), 1) << "as good as the best is not an improvement";
  best.add(30, 6);
  EXPECT_EQ(best.stalled(), 2);
  best.add(40, 4.5);
  EXPECT_EQ(best.stalled(), 0);
}

TEST(BestValidations, WhatIsNoNumberIsNeverGood) {
  BestValidations best("loss", 2);
  EXPECT_FALSE(best.add(10, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(best.add(20, std::numeric_limits<double>::infinity()));
  EXPECT_EQ(best.stalled(), 2);
  EXPECT_TRUE(best.entries().empty());
}

TEST(BestValidations, GoesOn) {
  BestValidations best("loss", 1, {{10, 5}}, 2);
  EXPECT_FALSE(best.add(20, 6));
  EXPECT_EQ(best.stalled(), 3);
  EXPECT_THAT(best.entries(), ElementsAre(Entry{10, 5}));
}

TEST(BestValidations, KnowsTheBestWhenNoneIsKept) {
  BestValidations best("loss", 0);
  EXPECT_TRUE(best.add(10, 5));
  EXPECT_FALSE(best.add(20, 6));
}

}  // namespace

}  // namespace nmt
