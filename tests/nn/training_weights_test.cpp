// Weights for training: named spans of flat buffers, and the copies that operations read.
#include "nn/weights/training_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "nn/three_parameters.h"
#include "nn/weights/inference_weights.h"
#include "nn/weights/parameters.h"
#include "optim/device_statistics.h"
#include "optim/optimizer.h"

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

using ::testing::Each;

class TrainingWeightsTest : public testing::ThreeParameters {};

TEST_F(TrainingWeightsTest, ValuesAreAlignedSpansOfOneZeroedBuffer) {
  const TrainingWeights weights(parameters_, *backend_);
  EXPECT_EQ(weights.values().rows(), 1);
  EXPECT_THAT(reals(weights.values()), Each(0.0));
  EXPECT_THAT(reals(weights.gradients()), Each(0.0));
  const auto* begin = static_cast<const char*>(weights.values().raw());
  for (const Parameters::Entry& entry : parameters_.entries()) {
    const Tensor& value = entry.parameter.value;
    EXPECT_EQ(static_cast<const char*>(value.raw()) - begin, entry.offset * 8);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(value.raw()) % 64, 0U);
    EXPECT_TRUE(value.contiguous());
    EXPECT_EQ(entry.parameter.gradient.rows(), value.rows());
    EXPECT_EQ(entry.parameter.gradient.columns(), value.columns());
    EXPECT_LE(entry.offset + value.size(), weights.values().columns());
  }
  fill(matrix_, 1);
  fill(vector_, 2);
  fill(row_, 3);
  EXPECT_THAT(reals(matrix_.value), Each(1.0)) << "spans do not overlap";
  EXPECT_THAT(reals(vector_.value), Each(2.0));
  double sum = 0;
  for (const double x : reals(weights.values())) sum += x;
  EXPECT_EQ(sum, 15 * 1 + 70 * 2 + 4 * 3) << "gaps hold zeros";
  EXPECT_THAT(reals(weights.gradients()), Each(0.0));
}

TEST_F(TrainingWeightsTest, InitializationFollowsTheSeed) {
  TrainingWeights weights(parameters_, *backend_);
  const auto drawn = [&](std::uint64_t seed) {
    weights.initialize(seed);
    return reals(matrix_.value);
  };
  const std::vector<double> first = drawn(1);
  EXPECT_NE(drawn(2), first);
  EXPECT_EQ(drawn(1), first);
  EXPECT_THAT(reals(vector_.value), Each(1.0));
}

class ComputeCopyTest : public testing::ThreeParameters {
 protected:
  ComputeCopyTest() {
    backend_ = open_backend({.device = "cpu", .precision = "bf16"});
    weights_.emplace(parameters_, *backend_);
    weights_->initialize(1);
  }

  /// Returns the stored values of an entry, rounded to bf16 if `round` says so.
  std::vector<double> masters(std::size_t entry, bool round) const {
    std::vector<double> values =
        reals(TrainingWeights::span(weights_->values(), parameters_.entries()[entry]));
    for (double& value : values)
      if (round) value = static_cast<float>(BFloat16(static_cast<float>(value)));
    return values;
  }

  void expect_copied() const {
    EXPECT_EQ(reals(matrix_.value), masters(0, true));
    EXPECT_NE(reals(matrix_.value), masters(0, false));
    EXPECT_EQ(reals(vector_.value), masters(1, false));
    EXPECT_EQ(reals(row_.value), masters(2, true));
  }

  std::optional<TrainingWeights> weights_;
};

TEST_F(ComputeCopyTest, MatricesAreReadRoundedAndVectorsAsTheyAreKept) {
  EXPECT_EQ(matrix_.value.dtype(), DType::bf16);
  EXPECT_EQ(vector_.value.dtype(), DType::f32);
  EXPECT_EQ(matrix_.gradient.dtype(), DType::f32);
  expect_copied();
}

TEST_F(ComputeCopyTest, FollowsWhatIsWrittenToTheMasters) {
  const std::vector<double> before = reals(matrix_.value);
  std::vector<double> values = reals(weights_->values());
  for (double& value : values) value /= 3;
  upload_reals(*backend_, weights_->values(), values);
  weights_->values_changed();
  EXPECT_NE(reals(matrix_.value), before);
  expect_copied();
}

TEST_F(ComputeCopyTest, IsWrittenByAdam) {
  const std::vector<double> before = reals(matrix_.value);
  upload_reals(*backend_, weights_->gradients(),
               std::vector<double>(static_cast<std::size_t>(weights_->gradients().size()), 1));
  DeviceStatistics statistics(*backend_, 1);
  statistics.begin(1);
  AdamOptimizer(*weights_, {}).update(statistics, 1, {0.1, 0.1});
  EXPECT_NE(reals(matrix_.value), before);
  expect_copied();
}

class Int8CopyTest : public testing::ThreeParameters {
 protected:
  Int8CopyTest() {
    backend_ = open_backend({.device = "cpu"});
    weights_.emplace(parameters_, *backend_);
    weights_->initialize(1);
    weights_->read_as_int8();
  }

  /// Matrices are read as int8 would read their masters, all other weights as they are stored.
  void expect_rounded() const {
    for (const Parameters::Entry& entry : parameters_.entries()) {
      const Tensor master = TrainingWeights::span(weights_->values(), entry);
      const Tensor rounded = allocate_tensor(*backend_, master.rows(), master.columns(), DType::f32);
      backend_->run(FakeQuantize{.x = master, .y = rounded});
      EXPECT_EQ(reals(entry.parameter.value), reals(entry.rows > 0 ? rounded : master));
    }
    EXPECT_NE(reals(matrix_.value),
              reals(TrainingWeights::span(weights_->values(), parameters_.entries()[0])));
  }
  void update(double gradient) {
    upload_reals(*backend_, weights_->gradients(),
                 std::vector<double>(static_cast<std::size_t>(weights_->gradients().size()), gradient));
    DeviceStatistics statistics(*backend_, 1);
    statistics.begin(1);
    AdamOptimizer(*weights_, {}).update(statistics, 1, {0.1, 0.1});
  }

  std::optional<TrainingWeights> weights_;
};

TEST_F(Int8CopyTest, MatricesAreReadRoundedAndTheirProductsRoundInputs) {
  expect_rounded();
  EXPECT_TRUE(matrix_.rounds_inputs);
  EXPECT_FALSE(vector_.rounds_inputs);
  EXPECT_TRUE(matrix_.slice_parts(0, 1).rounds_inputs);
}

TEST_F(Int8CopyTest, FollowsTheMastersThroughUpdates) {
  const std::vector<double> before = reals(matrix_.value);
  update(1);
  EXPECT_NE(reals(matrix_.value), before);
  expect_rounded();
  const std::vector<double> after = reals(matrix_.value);
  update(std::numeric_limits<double>::infinity());
  EXPECT_EQ(reals(matrix_.value), after) << "an update that does not count rounds nothing anew";
  weights_->freeze({"matrix"});
  update(1);
  EXPECT_EQ(reals(matrix_.value), after);
  expect_rounded();
}

TEST_F(ComputeCopyTest, InferenceReadsTheSameWithoutMasters) {
  const std::vector<double> matrix = reals(matrix_.value), vector = reals(vector_.value);
  Parameters lean;
  const Parameter& lean_matrix = lean.add("matrix", ParameterSpec::matrix(3, 5));
  const Parameter& lean_vector = lean.add("vector", ParameterSpec::vector(70, Initializer::ones));
  allocate_for_inference(lean, *backend_);
  initialize(lean, *backend_, 1);
  EXPECT_EQ(lean_matrix.value.dtype(), DType::bf16);
  EXPECT_EQ(lean_vector.value.dtype(), DType::f32);
  EXPECT_EQ(reals(lean_matrix.value), matrix);
  EXPECT_EQ(reals(lean_vector.value), vector);
}

TEST_F(TrainingWeightsTest, NeedNoComputeCopyOfTheSameType) {
  EXPECT_FALSE(TrainingWeights(parameters_, *backend_).compute_copy());
}

}  // namespace

}  // namespace nmt
