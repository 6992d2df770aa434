// Weights for inference: their types, and what can be read after prepacking.
#include "nn/weights/inference_weights.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "common/error.h"
#include "graph/operations.h"
#include "nn/three_parameters.h"
#include "nn/weights/parameters.h"

namespace nmt {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class InferenceWeightsTest : public testing::ThreeParameters {};

TEST_F(InferenceWeightsTest, HaveNoGradientsAndDoNotOverlap) {
  allocate_for_inference(parameters_, *backend_);
  EXPECT_FALSE(matrix_.gradient);
  fill(matrix_, 1);
  fill(vector_, 2);
  fill(row_, 3);
  EXPECT_THAT(reals(matrix_.value), Each(1.0));
  EXPECT_THAT(reals(vector_.value), Each(2.0));
}

TEST_F(InferenceWeightsTest, OfTablesOfPositionsAreNotQuantized) {
  const auto backend = open_backend({.device = "reference", .precision = "int8"});
  Parameters parameters;
  const Parameter& table = parameters.add("positions", ParameterSpec::position_table(2, 3));
  allocate_for_inference(parameters, *backend);
  EXPECT_EQ(table.value.dtype(), DType::f64);
  EXPECT_FALSE(table.scale);
}

TEST_F(InferenceWeightsTest, RowsThatAreTooLongForIntegersAreRefused) {
  const auto backend = open_backend({.device = "reference", .precision = "int8"});
  for (const std::int64_t columns : {133'144, 133'145}) {
    Parameters parameters;
    parameters.add("wide", ParameterSpec::matrix(1, columns));
    std::string complaint;
    try {
      allocate_for_inference(parameters, *backend);
    } catch (const Error& error) {
      complaint = error.what();
    }
    EXPECT_EQ(complaint.find("'wide' has rows of 133145 weights") != std::string::npos, columns == 133'145)
        << complaint;
  }
}

/// Weights that the CPU prepacks, and layers that read them.
class PrepackedTest : public ::testing::TestWithParam<std::string> {
 protected:
  void prepare(OutputRows output = OutputRows::all) {
    allocate_for_inference(parameters_, *backend_);
    initialize(parameters_, *backend_, 1);
    before_ = products();
    prepack(parameters_, *backend_, output);
  }

  std::vector<double> product(Graph& g, const Parameter& weight) {
    const Var x = g.variable(g.allocate(3, kIn));
    upload_reals(*backend_, x.value, std::vector<double>(3 * kIn, 0.25));
    return download_reals(*backend_, linear(g, x, weight, {}).value);
  }
  /// With all projections fused, and with some of them.
  std::vector<std::vector<double>> products() {
    Graph g(worker_);
    return {product(g, fused_), product(g, fused_.slice_parts(0, 1)), product(g, fused_.slice_parts(1, 2))};
  }

  static constexpr std::int64_t kIn = 64, kOut = 64, kWords = 70;  // the last panel of words is not full
  std::unique_ptr<Backend> backend_ = open_backend({.device = "cpu", .precision = GetParam(), .threads = 1});
  Worker worker_{*backend_};
  Parameters parameters_;
  Parameter& fused_ = parameters_.add("fused", ParameterSpec::matrix(kOut, kIn, 3));
  Parameter& output_ = parameters_.add("output", ParameterSpec::output_layer(kOut, kIn));
  Parameter& words_ = parameters_.add("words", ParameterSpec::word_table(kWords, kIn));
  std::vector<std::vector<double>> before_;
};

TEST_P(PrepackedTest, ProductsReadThemAndTheirPartsAsBefore) {
  prepare();
  ASSERT_TRUE(fused_.value.is_prepacked());
  EXPECT_EQ(products(), before_);
}

TEST_P(PrepackedTest, PartsAreThoseOfTheWhole) {
  prepare();
  const auto columns = [](const std::vector<double>& x, std::size_t first, std::size_t count) {
    std::vector<double> of_all_rows;
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t i = 0; i < count; ++i) of_all_rows.push_back(x[row * 3 * kOut + first + i]);
    return of_all_rows;
  };
  const auto found = products();
  EXPECT_EQ(found[1], columns(found[0], 0, kOut));
  EXPECT_EQ(found[2], columns(found[0], kOut, 2 * kOut));
}

TEST_P(PrepackedTest, TablesOfWordsAreLookedUpAndMultipliedAsBefore) {
  const auto results = [this] {
    Graph g(worker_);
    const Tensor ids = g.upload({69, 0, -1, 31, 32, 69}, 1, 6);
    const Var y = g.variable(g.allocate(6, kIn));
    backend_->run(
        Embedding{.table = words_.value, .table_scale = words_.scale, .ids = ids, .scale = 2, .y = y.value});
    return std::vector{download_reals(*backend_, y.value), product(g, words_)};
  };
  prepare(OutputRows::selected);
  ASSERT_FALSE(words_.value.is_prepacked());
  const auto before = results();
  prepare();
  ASSERT_TRUE(words_.value.is_prepacked());
  EXPECT_EQ(results(), before);
}

TEST_P(PrepackedTest, TablesKeepTheirRowsIfTheyAreSelected) {
  prepare(OutputRows::selected);
  EXPECT_FALSE(words_.value.is_prepacked());
  EXPECT_FALSE(output_.value.is_prepacked());
}

TEST_P(PrepackedTest, AnOperationThatReadsRowsIsFound) {
  prepare();
  Graph g(worker_);
  const Tensor ids = g.upload({0, 1}, 1, 2);
  const Tensor rows = g.allocate(2, kIn, output_.value.dtype());
  EXPECT_THAT([&] { backend_->run(SelectRows{.from = output_.value, .ids = ids, .to = rows}); },
              ThrowsMessage<std::logic_error>(HasSubstr("prepacked")));
  std::vector<std::byte> host(fused_.value.bytes());
  EXPECT_THROW(backend_->download(host.data(), fused_.value), std::logic_error);
}

TEST_P(PrepackedTest, ALayerThatCutsThemElsewhereIsFound) {
  prepare();
  EXPECT_THROW(fused_.value.slice_rows(kOut / 2, kOut), std::logic_error);
  EXPECT_THROW(fused_.value.slice_rows(kOut, kOut), std::logic_error) << "parts are found by number";
  EXPECT_THROW(fused_.value.slice_parts(0, 1, 2), std::logic_error);
  EXPECT_THROW(fused_.value.slice_columns(0, 1), std::logic_error);
  EXPECT_THROW(fused_.value.reshape(1, 3 * kOut * kIn), std::logic_error);
}

TEST_P(PrepackedTest, NothingIsWrittenToThem) {
  prepare();
  const Parameters::Entry& entry = parameters_.entries().front();
  EXPECT_FALSE(entry.master);
  EXPECT_THROW(backend_->zero(entry.parameter.value), std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(Precisions, PrepackedTest, ::testing::Values("f32", "bf16", "int8"),
                         [](const auto& precision) { return precision.param; });

}  // namespace
}  // namespace nmt
