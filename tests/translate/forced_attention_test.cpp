#include <gtest/gtest.h>

#include <cmath>

#include "backend/devices.h"
#include "nn/formula_weights.h"
#include "nn/whole_logits.h"
#include "translate/scoring/alignment.h"

namespace nmt {
namespace {

const nlohmann::json kConfig = {{"type", "transformer"},
                                {"d_model", 16},
                                {"d_ff", 32},
                                {"heads", 4},
                                {"encoder_layers", 1},
                                {"decoder_layers", 2},
                                {"source_vocabulary", 12},
                                {"target_vocabulary", 12}};
const std::vector<Example> kExamples = {{0, {5, 3, 8}, {6, 4}}, {1, {7}, {3, 3, 5, 8, 6}}, {2, {}, {}}};

bool all(AttentionKind /*kind*/, int /*layer*/) {
  return true;
}

struct Attentions {
  std::vector<AttentionWeights> tensors;
  std::vector<std::vector<double>> values;
};

class ForcedAttentionTest : public ::testing::TestWithParam<std::string> {
 protected:
  Attentions attend(const std::vector<Example>& examples,
                    std::function<bool(AttentionKind, int)> wanted = all) {
    Attentions result{
        forced_attention(*model_, worker_, examples, testing::kFixtureSpecialTokens, std::move(wanted)), {}};
    for (const AttentionWeights& attention : result.tensors) {
      result.values.push_back(download_reals(*backend_, attention.weights));
    }
    return result;
  }

  std::unique_ptr<Backend> backend_ = testing::open_device(GetParam(), 2);
  std::unique_ptr<Model> model_ = testing::formula_model(kConfig, 2, *backend_);
  Worker worker_{*backend_};
};

TEST_P(ForcedAttentionTest, EveryAttentionOfThePassIsThere) {
  std::vector<std::pair<AttentionKind, int>> seen;
  for (const AttentionWeights& attention : attend(kExamples).tensors) {
    seen.emplace_back(attention.kind, attention.layer);
    EXPECT_EQ(attention.heads, 4);
    const bool is_encoder = attention.kind == AttentionKind::encoder;
    EXPECT_EQ(attention.weights.rows(), is_encoder ? 4 + 2 + 1 : 3 + 6 + 1);
    EXPECT_EQ(attention.weights.columns(), 4 * (attention.kind == AttentionKind::decoder ? 6 : 4));
  }
  const std::vector<std::pair<AttentionKind, int>> expected = {{AttentionKind::encoder, 0},
                                                               {AttentionKind::decoder, 0},
                                                               {AttentionKind::cross, 0},
                                                               {AttentionKind::decoder, 1},
                                                               {AttentionKind::cross, 1}};
  EXPECT_EQ(seen, expected);
}

TEST_P(ForcedAttentionTest, OnlyWhatIsWantedIsKept) {
  const Attentions one = attend(
      kExamples, [](AttentionKind kind, int layer) { return kind == AttentionKind::cross && layer == 1; });
  ASSERT_EQ(one.tensors.size(), 1U);
  EXPECT_EQ(one.values[0], attend(kExamples).values[4]);
}

TEST_P(ForcedAttentionTest, WeightsOfAHeadSumToOneAndTheMaskHidesWhatComesAfter) {
  const Attentions found = attend({kExamples[1]});
  for (std::size_t i = 0; i < found.tensors.size(); ++i) {
    const std::int64_t columns = found.tensors[i].weights.columns() / 4;
    for (std::int64_t row = 0; row < found.tensors[i].weights.rows(); ++row) {
      for (std::int64_t head = 0; head < 4; ++head) {
        double sum = 0;
        for (std::int64_t column = 0; column < columns; ++column) {
          const double weight =
              found.values[i][static_cast<std::size_t>((row * 4 + head) * columns + column)];
          sum += weight;
          const bool is_hidden = found.tensors[i].kind == AttentionKind::decoder && column > row;
          EXPECT_EQ(weight == 0, is_hidden) << "attention " << i << ", row " << row << ", column " << column;
        }
        EXPECT_NEAR(sum, 1, 1e-6);
      }
    }
  }
}

TEST_P(ForcedAttentionTest, APairDoesNotSeeItsNeighbors) {
  const Attentions together = attend(kExamples), alone = attend({kExamples[0]});
  for (std::size_t i = 0; i < alone.tensors.size(); ++i) {
    const std::int64_t longest = together.tensors[i].weights.columns() / 4;
    const std::int64_t columns = alone.tensors[i].weights.columns() / 4;
    for (std::int64_t row = 0; row < 4 * alone.tensors[i].weights.rows(); ++row) {
      for (std::int64_t column = 0; column < longest; ++column) {
        const double weight = together.values[i][static_cast<std::size_t>(row * longest + column)];
        const double expected =
            column < columns ? alone.values[i][static_cast<std::size_t>(row * columns + column)] : 0;
        EXPECT_EQ(weight, expected) << "attention " << i << ", row and head " << row << ", column " << column;
      }
    }
  }
}

TEST_P(ForcedAttentionTest, LookingChangesNothing) {
  const auto logits = [&](bool traced) {
    AttentionTrace trace{all, {}};
    Graph g(worker_);
    if (traced) g.trace_attention(trace);
    const BatchInput input = batch_input(g, kExamples, testing::kFixtureSpecialTokens);
    return testing::whole(g, model_->logits(g, input.source, input.target));
  };
  EXPECT_EQ(logits(true), logits(false));
}

TEST_P(ForcedAttentionTest, TellsLayersAndHeads) {
  const auto shape = [&](AttentionKind kind) {
    const AttentionShape found = attention_shape(*model_, *backend_, testing::kFixtureSpecialTokens, kind);
    return std::pair(found.layers, found.heads);
  };
  EXPECT_EQ(shape(AttentionKind::encoder), std::pair(1, 4));
  EXPECT_EQ(shape(AttentionKind::decoder), std::pair(2, 4));
  EXPECT_EQ(shape(AttentionKind::cross), std::pair(2, 4));
}

INSTANTIATE_TEST_SUITE_P(Devices, ForcedAttentionTest, ::testing::ValuesIn(testing::devices()),
                         [](const auto& device) { return device.param; });

TEST(ForcedAttention, DevicesAgree) {
  std::vector<std::vector<double>> found;
  for (const std::string& device : testing::devices()) {
    const auto backend = testing::open_device(device, 2);
    const auto model = testing::formula_model(kConfig, 2, *backend);
    Worker worker(*backend);
    std::vector<double>& values = found.emplace_back();
    for (const AttentionWeights& attention :
         forced_attention(*model, worker, kExamples, testing::kFixtureSpecialTokens, all)) {
      const std::vector<double> weights = download_reals(*backend, attention.weights);
      values.insert(values.end(), weights.begin(), weights.end());
    }
  }
  for (const std::vector<double>& values : found) {
    ASSERT_EQ(values.size(), found[0].size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], found[0][i], 1e-5) << i;
  }
}

}  // namespace
}  // namespace nmt
