// The tape: what it records, in which order it replays, how gradients are added, how dropout is numbered.
#include "graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "backend/factory.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GraphTest : public ::testing::Test {
 protected:
  Tensor row(const Graph& g, const std::vector<double>& values) const {
    const Tensor tensor = g.allocate(1, static_cast<std::int64_t>(values.size()));
    upload_reals(*backend_, tensor, values);
    return tensor;
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  Worker worker_{*backend_};
  const Tensor random_ = allocate_tensor(*backend_, 1, 2, DType::i32);
};

TEST_F(GraphTest, ReplaysLastFirstAndOnce) {
  Graph g(worker_, {}, random_);
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) g.record([&order, i] { order.push_back(i); });
  g.backward();
  g.backward();
  EXPECT_THAT(order, ElementsAre(2, 1, 0));
}

TEST_F(GraphTest, TellsFromWhereOnGradientsAreFinal) {
  Graph g(worker_, {}, random_);
  const Tensor flat = allocate_tensor(*backend_, 1, 10, DType::f64);
  const auto use = [&](std::int64_t begin, std::int64_t count) {
    g.gradient({"", {}, flat.slice_columns(begin, count)});
    g.record([] {});
  };
  use(0, 2);  // the first one of two uses
  use(2, 2);
  use(4, 4);  // of which a part is used once more
  use(8, 2);
  use(6, 2);
  use(0, 2);
  std::vector<std::int64_t> places;
  g.backward(
      [&](const void* first) { places.push_back(static_cast<const double*>(first) - flat.data<double>()); });
  EXPECT_THAT(places, ElementsAre(8, 4, 2, 0));
}

TEST_F(GraphTest, GradientsCanGoToAnotherBuffer) {
  Graph g(worker_, {}, random_);
  const Tensor own = allocate_tensor(*backend_, 1, 12, DType::f64),
               other = allocate_tensor(*backend_, 1, 12, DType::f64);
  const Parameter parameter{"", {}, own.slice_columns(2, 6).reshape(2, 3)};
  EXPECT_EQ(g.gradient(parameter).raw(), parameter.gradient.raw());
  g.divert_gradients(own, other);
  const Tensor part = g.gradient({"", {}, parameter.gradient.slice_columns(1, 2)});
  EXPECT_EQ(part.row<double>(1) + 1, other.data<double>() + 7);
  EXPECT_EQ(part.columns(), 2);
}

TEST_F(GraphTest, InferenceRecordsNothingAndDropsNothing) {
  Graph g(worker_);
  std::vector<int> order;
  g.record([&order] { order.push_back(1); });
  g.backward();
  EXPECT_THAT(order, IsEmpty());
  EXPECT_EQ(g.variable(row(g, {1})).gradient, nullptr);
  EXPECT_FALSE(g.dropout(0.5, Sequences{.rows = 3}, 8).active());
}

TEST_F(GraphTest, LayersAreDroppedByTheKey) {
  constexpr std::int64_t kLayers = 6;
  const auto kept = [&](double rate, std::uint64_t key) {
    Graph g(worker_, {.layer = rate}, random_, key);
    return std::pair(g.layers_kept(kLayers), g.layers_kept(kLayers));
  };
  const std::vector<bool> all(kLayers, true);
  EXPECT_EQ(Graph(worker_).layers_kept(kLayers), all) << "inference";
  EXPECT_EQ(kept(0, 1).first, all);
  EXPECT_EQ(kept(0.4, 1), kept(0.4, 1));
  std::int64_t count = 0, same = 0;
  constexpr std::uint64_t kKeys = 500;
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    const auto [encoder, decoder] = kept(0.4, key);
    count += std::ranges::count(encoder, true);
    same += encoder == decoder ? 1 : 0;
    EXPECT_EQ(std::ranges::count(kept(0.99999, key).first, true), 1) << "one layer stays";
  }
  EXPECT_NEAR(static_cast<double>(count) / (kKeys * kLayers), 0.6, 0.03);
  EXPECT_LT(same, 60);
}

TEST_F(GraphTest, GradientsOfSeveralUsesAddUp) {
  Graph g(worker_, {}, random_);
  const Var v = g.variable(row(g, {0, 0}));
  EXPECT_FALSE(*v.gradient) << "nothing has been replayed yet";
  const Tensor first = row(g, {1, 2});
  g.deposit(v, first);
  EXPECT_EQ(v.gradient->raw(), first.raw()) << "the first one is taken over";
  g.deposit(v, row(g, {10, 20}));
  EXPECT_THAT(download_reals(*backend_, *v.gradient), ElementsAre(11, 22));
}

TEST_F(GraphTest, DropoutIsNumberedByPlaceWhateverItsRate) {
  Graph g(worker_, {}, random_);
  const Sequences sequences{.rows = 3};
  EXPECT_EQ(g.dropout(0.5, sequences, 8).operation, 0);
  EXPECT_EQ(g.dropout(0, sequences, 8).operation, 1);
  EXPECT_EQ(g.attention_dropout(0.5, sequences, 2, 9).operation, 2);
}

TEST_F(GraphTest, MasksHaveABitForEachElement) {
  Graph g(worker_, {}, random_);
  const Dropout dropout = g.dropout(0.5, Sequences{.rows = 3}, 17);
  EXPECT_EQ(dropout.mask.rows(), 3);
  EXPECT_EQ(dropout.mask.columns(), 3);
  EXPECT_EQ(g.attention_dropout(0.5, Sequences{.rows = 3}, 4, 9).mask.columns(), 4 * 2);
  EXPECT_FALSE(g.dropout(0, Sequences{.rows = 3}, 17).mask) << "none is needed";
}

TEST_F(GraphTest, AttentionsLeaveTheirWeightsWhereSomebodyWantsThem) {
  Graph g(worker_);
  EXPECT_FALSE(g.attention_weights(AttentionKind::cross, 3, 2, 5).weights) << "nobody has asked";
  AttentionTrace trace;
  trace.wanted = [](AttentionKind kind, int layer) { return kind == AttentionKind::cross && layer == 1; };
  g.trace_attention(trace);
  EXPECT_FALSE(g.attention_weights(AttentionKind::cross, 3, 2, 5).weights) << "the first of its kind";
  EXPECT_FALSE(g.attention_weights(AttentionKind::encoder, 3, 2, 5).weights);
  EXPECT_FALSE(g.attention_weights(AttentionKind::encoder, 3, 2, 5).weights);
  const Tensor weights = g.attention_weights(AttentionKind::cross, 3, 2, 5).weights;
  EXPECT_EQ(weights.rows(), 3);
  EXPECT_EQ(weights.columns(), 2 * 5);
  ASSERT_EQ(trace.seen.size(), 1U);
  EXPECT_EQ(trace.seen[0].layer, 1);
  EXPECT_EQ(trace.seen[0].heads, 2);
  EXPECT_EQ(trace.seen[0].weights.raw(), weights.raw());
  EXPECT_EQ(trace.seen[0].d_scores, nullptr) << "none in inference";
}

}  // namespace
}  // namespace nmt
