#include "optim/accumulation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backend/factory.h"
#include "common/error.h"
#include "data/batches/batches.h"
#include "nn/registry.h"
#include "optim/update.h"

namespace nmt {
namespace {

using ::testing::SizeIs;
using ::testing::ThrowsMessage;

Batch random_batch(int pairs) {
  std::mt19937 random(5);
  const auto sentence = [&] {
    std::vector<int> ids(3 + random() % 20);
    for (int& id : ids) id = 3 + static_cast<int>(random() % 20);
    return ids;
  };
  Batch batch;
  for (int i = 0; i < pairs; ++i) batch.examples.push_back({i, sentence(), sentence()});
  return batch;
}

std::int64_t tokens_of(const Batch& batch) {
  return size_of(batch).source + size_of(batch).target;
}

TEST(AccumulationShards, AreOneMoreThanWorkersAndEqual) {
  const Batch batch = random_batch(300);
  for (const std::int64_t workers : {2, 3, 8}) {
    const std::vector<AccumulationShard> shards = accumulation_shards(batch, workers, 100'000);
    ASSERT_EQ(std::ssize(shards), workers + 1);
    std::vector<std::int64_t> ids;
    for (const AccumulationShard& shard : shards) {
      std::int64_t tokens = 0;
      for (const Batch& part : shard) {
        tokens += tokens_of(part);
        for (const Example& example : part.examples) ids.push_back(example.id);
      }
      EXPECT_NEAR(static_cast<double>(tokens), static_cast<double>(tokens_of(batch)) / (workers + 1.0), 40);
      ASSERT_THAT(shard, SizeIs(3));
      EXPECT_NEAR(static_cast<double>(tokens_of(shard[0])), static_cast<double>(tokens) / 2, 40);
      EXPECT_NEAR(static_cast<double>(tokens_of(shard[1])), static_cast<double>(tokens) / 3, 40);
    }
    std::ranges::sort(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], static_cast<std::int64_t>(i));
    EXPECT_THAT(ids, SizeIs(300));
  }
}

TEST(AccumulationShards, KeepTheBudgetOfAMicroBatch) {
  for (const std::int64_t workers : {1, 2}) {
    for (const AccumulationShard& shard : accumulation_shards(random_batch(300), workers, 200)) {
      for (const Batch& part : shard) EXPECT_LE(size_of(part).padded_target, 200);
    }
  }
}

TEST(AccumulationShards, AreNotWorthItForFewTokensOrOneWorker) {
  EXPECT_THAT(accumulation_shards(random_batch(300), 1, 100'000), SizeIs(1));
  EXPECT_THAT(accumulation_shards(random_batch(20), 2, 100'000), SizeIs(1));
  EXPECT_THAT(accumulation_shards({}, 2, 100'000), SizeIs(1));
  Batch long_pair;
  long_pair.examples.push_back({0, std::vector<int>(2000), std::vector<int>(2000)});
  EXPECT_THAT(accumulation_shards(long_pair, 2, 100'000), SizeIs(1)) << "none without a pair";
}

class AccumulationWorkersTest : public ::testing::Test {
 protected:
  std::unique_ptr<Backend> backend_ = open_backend({.device = "cpu", .threads = 3});
  Workers workers_{*backend_};
  AccumulationWorkers shards_{workers_};
  Tensor sum_ = allocate_tensor(*backend_, 1, 2, DType::f32);
};

TEST_F(AccumulationWorkersTest, ComputeEachMicroBatchOnceInTheOrderOfItsShard) {
  const std::vector<AccumulationShard> shards =
      accumulation_shards(random_batch(300), workers_.count(), 100'000);
  for (int round = 0; round < 3; ++round) {
    std::vector<int> calls(12);
    backend_->zero(sum_);
    shards_.run(shards, sum_, [&](const Batch& batch, std::size_t number, Worker&, const Tensor& gradients) {
      ++calls[number];
      EXPECT_EQ(&batch, &shards[number / 3][number % 3]);
      float* elements = gradients.data<float>();
      EXPECT_EQ(elements[0], static_cast<float>(number % 3)) << "those before it in the shard";
      elements[0] += 1;
      elements[1] += static_cast<float>(tokens_of(batch));
    });
    EXPECT_THAT(calls, ::testing::Each(1));
    EXPECT_EQ(sum_.data<float>()[0], 12);
    EXPECT_EQ(sum_.data<float>()[1], static_cast<float>(tokens_of(random_batch(300))));
  }
}

TEST_F(AccumulationWorkersTest, ThrowWhatTheWorkThrows) {
  const std::vector<AccumulationShard> shards =
      accumulation_shards(random_batch(300), workers_.count(), 100'000);
  const auto failing = [](const Batch&, std::size_t number, Worker&, const Tensor&) {
    if (number == 4) throw Error("no memory");
  };
  EXPECT_THAT([&] { shards_.run(shards, sum_, failing); }, ThrowsMessage<Error>("no memory"));
}

std::unique_ptr<Model> small_transformer(Backend& backend) {
  auto model =
      ModelRegistry::instance().make(ModelRegistry::instance().complete({{"type", "transformer"},
                                                                         {"d_model", "16"},
                                                                         {"d_ff", "32"},
                                                                         {"heads", "2"},
                                                                         {"encoder_layers", "1"},
                                                                         {"decoder_layers", "1"},
                                                                         {"source_vocabulary", "30"},
                                                                         {"target_vocabulary", "30"}}));
  model->allocate_for_training(backend).initialize(1);
  return model;
}

/// Updates a small model on a number of threads.
struct SmallUpdate {
  explicit SmallUpdate(int threads) : backend(open_backend({.device = "cpu", .threads = threads})) {}

  std::vector<AccumulationShard> compute(const Batch& batch, const FinalGradients& final = {}) {
    std::vector<AccumulationShard> shards = update.shards(batch, 2000);
    update.gradients(shards, size_of(batch).target, statistics, final);
    return shards;
  }
  const Tensor& gradients() const { return model->training_weights().gradients(); }

  std::unique_ptr<Backend> backend;
  std::unique_ptr<Model> model = small_transformer(*backend);
  Workers workers{*backend};
  Update update{*model, workers, {.source_eos = 2, .target_eos = 2, .start = 1}, {{0.1, 0.1, 0.1}, 0.1}};
  DeviceStatistics statistics{*backend, 1};
};

/// Returns the gradients and losses of an update on a number of threads.
std::pair<std::vector<double>, StepStatistics> update_on(int threads, const Batch& batch) {
  SmallUpdate small(threads);
  small.compute(batch);
  return {download_reals(*small.backend, small.gradients()), small.statistics.read()};
}

TEST(AccumulationShards, GiveTheSameInRoundingAloneAndTheSameBitsEachTime) {
  const Batch batch = random_batch(200);
  const auto [gradients, statistics] = update_on(1, batch);
  for (const int threads : {2, 3}) {
    const auto [by_shards, its_statistics] = update_on(threads, batch);
    EXPECT_NEAR(its_statistics.loss, statistics.loss, 1e-6 * statistics.loss);
    EXPECT_NEAR(its_statistics.nll, statistics.nll, 1e-6 * statistics.nll);
    EXPECT_THAT(by_shards, ::testing::Pointwise(::testing::DoubleNear(1e-6), gradients));
    for (int again = 0; again < 5; ++again) {
      const auto [same, same_statistics] = update_on(threads, batch);
      ASSERT_EQ(same, by_shards);
      EXPECT_EQ(same_statistics.loss, its_statistics.loss);
    }
  }
}

TEST(FinalGradients, AreToldInTheLastPassOfASingleShard) {
  SmallUpdate small(1);
  const auto* const begin = small.gradients().data<float>();
  const auto* const end = begin + small.gradients().size();
  std::vector<std::vector<float>> told;  // each time, all that is final
  const auto shards = small.compute(random_batch(200), [&](const void* first) {
    told.emplace_back(static_cast<const float*>(first), end);
  });
  ASSERT_THAT(shards, SizeIs(1));
  ASSERT_GT(shards[0].size(), 1U) << "one pass would be the last one in any case";
  const std::vector<float> gradients(begin, end);
  ASSERT_GT(told.size(), 3U);
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_GT(told[i].size(), i == 0 ? 0 : told[i - 1].size());
    EXPECT_EQ(told[i], std::vector<float>(gradients.end() - std::ssize(told[i]), gradients.end())) << i;
  }
  EXPECT_EQ(told.back().size(), gradients.size());
}

// Other shards may be added to those of any pass.
TEST(FinalGradients, AreNotToldWhereThereAreSeveralShards) {
  for (const int threads : {2, 3}) {
    int told = 0;
    const auto shards = SmallUpdate(threads).compute(random_batch(200), [&](const void*) { ++told; });
    EXPECT_EQ(std::ssize(shards), threads + 1);
    EXPECT_EQ(told, 0);
  }
}

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
