// Recurrent networks: the order of time, and layers against those of PyTorch.
#include "graph/recurrent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "backend/devices.h"
#include "common/test_data.h"
#include "graph/operations.h"

namespace nmt::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RecurrentTest : public ::testing::TestWithParam<std::string> {
 protected:
  Parameter parameter(const nlohmann::json& input) {
    const Precision precision = backend_->precision();
    const std::int64_t rows = input["rows"], columns = input["columns"];
    Parameter p{"",
                allocate_tensor(*backend_, rows, columns, rows > 1 ? precision.weights : precision.master),
                allocate_tensor(*backend_, rows, columns, precision.master)};
    upload_reals(*backend_, p.value, input["values"].get<std::vector<double>>());
    return p;
  }
  static Var variable(Graph& g, const Parameter& x) {
    Var v = g.variable(x.value);
    g.record([&g, x, v] { g.backend().add(x.gradient, *v.gradient); });
    return v;
  }
  Var constant(const Graph& g, std::int64_t rows, std::int64_t columns, const std::vector<double>& values) {
    const Tensor tensor = g.allocate(rows, columns);
    upload_reals(*backend_, tensor, values);
    return g.variable(tensor);
  }
  std::vector<std::int32_t> integers(const Tensor& x) const {
    std::vector<std::int32_t> values(static_cast<std::size_t>(x.size()));
    backend_->download(values.data(), x);
    return values;
  }
  void expect_near(const Tensor& actual, const std::vector<double>& expected) const {
    const double tolerance = backend_->precision().sum == DType::f64 ? 1e-12 : 1e-5;
    const std::vector<double> values = download_reals(*backend_, actual);
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])))
          << "element " << i;
  }

  std::unique_ptr<Backend> backend_ = open_device(GetParam());
  Worker worker_{*backend_};
  const Tensor random_ = allocate_tensor(*backend_, 1, 2, DType::i32);
};

TEST_P(RecurrentTest, RowsStandInTheOrderOfTime) {
  const Graph g(worker_);
  const TimeMajor order = time_major(g, {2, 0, 3, 2}, false);
  EXPECT_THAT(order.batch_sizes, ElementsAre(3, 3, 1));
  EXPECT_THAT(order.sequences, ElementsAre(2, 0, 3, 1));
  EXPECT_THAT(integers(order.rows), ElementsAre(2, 0, 5, 3, 1, 6, 4));
  EXPECT_THAT(integers(order.places), ElementsAre(1, 4, 0, 3, 6, 2, 5));
  const TimeMajor reversed = time_major(g, {2, 0, 3, 2}, true);
  EXPECT_EQ(reversed.batch_sizes, order.batch_sizes);
  EXPECT_THAT(integers(reversed.rows), ElementsAre(4, 1, 6, 3, 0, 5, 2));
  EXPECT_THAT(time_major(g, {0, 0}, false).batch_sizes, IsEmpty());
}

TEST_P(RecurrentTest, StepwiseLinearHasTheBitsOfLinear) {
  Graph g(worker_, {}, random_);
  const std::vector<double> numbers = {0.5, -1.25, 3, 0.125, 2, -0.75, 1.5, 0.0625, -2};
  const Var x = constant(g, 3, 3, numbers);
  const Parameter weight{"", x.value, {}};
  const Var whole = linear(g, x, weight, {});
  StepwiseLinear step(g, weight, {}, 3);
  const Var parts = concatenate_rows(g, {step(slice_rows(g, x, 0, 2)), step(slice_rows(g, x, 2, 1))});
  EXPECT_EQ(download_reals(*backend_, parts.value), download_reals(*backend_, whole.value));
}

TEST_P(RecurrentTest, AttentionLeavesItsWeights) {
  Graph g(worker_);
  const Var query = constant(g, 2, 1, {0, 0}), key = constant(g, 3, 1, {1, 1, 1}),
            value = constant(g, 3, 2, {1, 2, 3, 4, 5, 6});
  const Parameter energy_weight{"", allocate_tensor(*backend_, 1, 1, backend_->precision().master), {}};
  const SequenceOffsets queries{g.upload({0, 1}, 1, 2), g.upload({1, 1}, 1, 2), 2, 1};
  const SequenceOffsets keys{g.upload({0, 1}, 1, 2), g.upload({1, 2}, 1, 2), 2, 2};
  const Tensor weights = g.allocate_sums(2, 2);
  const Var context = additive_attention(g, query, key, value, energy_weight, queries, keys, weights);
  expect_near(weights, {1, 0, 0.5, 0.5});
  expect_near(context.value, {1, 2, 4, 5});
}

TEST_P(RecurrentTest, LayersAreThoseOfPyTorch) {
  std::ifstream file(test_data("recurrent/layers.json"));
  for (const nlohmann::json& test : nlohmann::json::parse(file)) {
    SCOPED_TRACE(test["cell"].get<std::string>() + (test["reverse"] ? ", reversed" : ""));
    std::map<std::string, Parameter> inputs;
    for (const auto& [name, input] : test["inputs"].items()) inputs[name] = parameter(input);
    const auto cell = test["cell"] == "gru" ? RecurrentCell::gru : RecurrentCell::lstm;
    const auto lengths = test["lengths"].get<std::vector<std::int32_t>>();

    Graph g(worker_, {}, random_);
    const TimeMajor order = time_major(g, lengths, test["reverse"]);
    const Tensor to_steps = g.upload(order.sequences, 1, std::ssize(lengths));
    std::vector<std::int32_t> steps(lengths.size());
    for (std::size_t i = 0; i < steps.size(); ++i)
      steps[static_cast<std::size_t>(order.sequences[i])] = static_cast<std::int32_t>(i);
    const Tensor from_steps = g.upload(steps, 1, std::ssize(lengths));
    const auto start = [&](const std::string& name) {
      return inputs.contains(name) ? permute_rows(g, variable(g, inputs[name]), to_steps, from_steps) : Var();
    };
    const RecurrentState before{start("state"), start("memory")};
    const Var x = linear(g, to_time_major(g, variable(g, inputs["x"]), order), inputs["input_weight"],
                         inputs["input_bias"]);
    const std::vector<RecurrentWeights> cells = {
        {.cell = cell, .weight = inputs["weight"], .bias = inputs["bias"]}};
    const Var y = from_time_major(g, recurrent_layer(g, cells, x, order.batch_sizes, before), order);
    expect_near(y.value, test["y"]);

    const Var d_y = constant(g, y.value.rows(), y.value.columns(), test["d_y"]);
    g.record([&] { g.deposit(y, d_y.value); });
    g.backward();
    for (const auto& [name, input] : test["inputs"].items()) {
      SCOPED_TRACE("gradient of " + name);
      expect_near(inputs[name].gradient, input["gradient"]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, RecurrentTest, ::testing::ValuesIn(devices()),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace nmt::testing
