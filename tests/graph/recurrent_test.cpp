// Recurrent networks: the order of time, and layers compared with PyTorch's.
#include "graph/recurrent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "backend/devices.h"
#include "backend/measure/measure.h"
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
  const Var context =
      recurrent_attention(g, query, key, value, energy_weight, queries, keys, {weights, {}, 0});
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

/// A layer with its gradients: step by step, or fused by the backend.
class LayerTest : public RecurrentTest {
 protected:
  struct Numbers {
    std::vector<double> y, d_x, d_state, d_input_weight, d_weight, d_bias;
  };
  static constexpr std::int64_t kInput = 5, kHidden = 4;

  Parameter zero_gradient(std::int64_t rows, std::int64_t columns, DType dtype) const {
    Parameter p{"", allocate_tensor(*backend_, rows, columns, dtype),
                allocate_tensor(*backend_, rows, columns, backend_->precision().master)};
    upload_reals(*backend_, p.value, numbers(rows * columns));
    backend_->weights_changed();
    return p;
  }
  static std::vector<double> numbers(std::int64_t count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i + 1));
    return values;
  }
  bool has_fused_layers() {
    const FusedRecurrentLayers* layers = backend_->fused_recurrent_layers();
    if (layers == nullptr) return false;
    const Tensor row = Graph(worker_).allocate(1, kHidden);
    return layers->memory({.batch_sizes = {1}, .x = row, .state = row, .y = row}).has_value();
  }
  Numbers run(RecurrentCell cell, const std::vector<std::int64_t>& batch_sizes, bool by_steps) {
    const std::int64_t gates = gates_of(cell) * kHidden;
    const DType weights_type = backend_->precision().weights, master = backend_->precision().master;
    const SingleCellWeights weights{.cell = cell,
                                    .input_weight = zero_gradient(gates, kInput, weights_type),
                                    .input_bias = zero_gradient(1, gates, master),
                                    .weight = zero_gradient(gates, kHidden, weights_type)};
    const std::int64_t rows = std::reduce(batch_sizes.begin(), batch_sizes.end());
    Graph g(worker_, {}, random_);
    const Var x = constant(g, rows, kInput, numbers(rows * kInput)),
              start = constant(g, batch_sizes[0], kHidden, numbers(batch_sizes[0] * kHidden));
    const RecurrentState state{start, cell == RecurrentCell::lstm ? start : Var()};
    const Var y =
        by_steps ? recurrent_layer(g, {{.cell = cell, .weight = weights.weight}},
                                   linear(g, x, weights.input_weight, weights.input_bias), batch_sizes, state)
                 : single_cell_layer(g, weights, x, batch_sizes, state);
    const Var d_y = constant(g, rows, kHidden, numbers(rows * kHidden));
    g.record([&] { g.deposit(y, d_y.value); });
    g.backward();
    const auto read = [&](const Tensor& tensor) { return download_reals(*backend_, tensor); };
    return {read(y.value),
            read(*x.gradient),
            read(*start.gradient),
            read(weights.input_weight.gradient),
            read(weights.weight.gradient),
            read(weights.input_bias.gradient)};
  }
  void expect_equal(const std::vector<double>& actual, const std::vector<double>& expected) const {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i)
      EXPECT_NEAR(actual[i], expected[i], 1e-6 * std::max(1.0, std::abs(expected[i]))) << "element " << i;
  }
};

// The emulated GPU has fused layers where the backend was built with cuDNN's header; a GPU may lack cuDNN.
TEST_P(LayerTest, AFusedOneHasTheNumbersOfItsSteps) {
  EXPECT_TRUE(has_fused_layers() || !is_emulated(*backend_) || !NMT_WITH_CUDNN);
  if (!has_fused_layers()) GTEST_SKIP() << "this backend has no fused layers";
  for (const RecurrentCell cell : {RecurrentCell::gru, RecurrentCell::lstm}) {
    SCOPED_TRACE(gates_of(cell));
    const Numbers fused = run(cell, {3, 3, 1}, false), steps = run(cell, {3, 3, 1}, true);
    expect_equal(fused.y, steps.y);
    expect_equal(fused.d_x, steps.d_x);
    expect_equal(fused.d_state, steps.d_state);
    expect_equal(fused.d_input_weight, steps.d_input_weight);
    expect_equal(fused.d_weight, steps.d_weight);
    expect_equal(fused.d_bias, steps.d_bias);
  }
}

/// Returns the bytes of activations that a pass through a layer and its gradient take.
std::size_t activation_bytes(Backend& backend, RecurrentCell cell) {
  constexpr std::int64_t kColumns = 7;
  const Precision precision = backend.precision();
  const auto parameter = [&](std::int64_t rows, DType dtype) {
    return Parameter{"", allocate_tensor(backend, rows, kColumns, dtype),
                     allocate_tensor(backend, rows, kColumns, precision.master)};
  };
  const SingleCellWeights weights{
      .cell = cell,
      .input_weight = parameter(gates_of(cell) * kColumns, precision.weights),
      .input_bias = {"", allocate_tensor(backend, 1, gates_of(cell) * kColumns, precision.master), {}},
      .weight = parameter(gates_of(cell) * kColumns, precision.weights)};
  const auto zeros = [&](std::int64_t rows) {
    return allocate_tensor(backend, rows, kColumns, precision.compute);
  };
  Worker worker(backend);
  Graph g(worker, {}, allocate_tensor(backend, 1, 2, DType::i32));
  const Var start = g.variable(zeros(3)), x = g.variable(zeros(6));
  const Var y =
      single_cell_layer(g, weights, x, {3, 2, 1}, {start, cell == RecurrentCell::lstm ? start : Var()});
  g.record([&] { g.deposit(y, zeros(6)); });
  g.backward();
  return worker.arena().high_water();
}

TEST_P(LayerTest, TakesTheMemoryThatIsForeseen) {
  for (const RecurrentCell cell : {RecurrentCell::gru, RecurrentCell::lstm}) {
    MeasureBackend measure(*backend_);
    EXPECT_EQ(activation_bytes(measure, cell), activation_bytes(*backend_, cell));
  }
}

// Row 0 of each step belongs to the first sequence.
TEST_P(LayerTest, ASequenceDoesNotSeeOthers) {
  for (const RecurrentCell cell : {RecurrentCell::gru, RecurrentCell::lstm}) {
    SCOPED_TRACE(gates_of(cell));
    const Numbers alone = run(cell, {1}, false), beside_others = run(cell, {4}, false);
    EXPECT_LT(alone.y.size(), beside_others.y.size());
    const auto first_of = [](std::vector<double> all, const std::vector<double>& first) {
      all.resize(first.size());
      return all;
    };
    expect_equal(first_of(beside_others.y, alone.y), alone.y);
    expect_equal(first_of(beside_others.d_x, alone.d_x), alone.d_x);
    expect_equal(first_of(beside_others.d_state, alone.d_state), alone.d_state);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, LayerTest, ::testing::ValuesIn(devices()),
                         [](const auto& device) { return device.param; });
INSTANTIATE_TEST_SUITE_P(Devices, RecurrentTest, ::testing::ValuesIn(devices()),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace nmt::testing
