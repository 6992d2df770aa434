// Speed of the CPU backend's operations at the shapes of transformer-base, on one thread. NMT_BENCH_ISA=avx2
// selects another instruction set than the best one for each type.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <vector>

#include "backend/factory.h"
#include "tensor/arena.h"
#include "tensor/operations/update.h"

namespace nmt {
namespace {

/// A backend with memory for the arguments of one benchmark.
class Bench {
 public:
  explicit Bench(const std::string& precision = "f32")
      : backend_(open_backend({.device = "cpu", .precision = precision, .cpu_isa = isa(), .threads = 1})),
        arena_(*backend_) {}

  Backend& backend() { return *backend_; }

  /// Numbers between -1 and 1 that repeat after many elements, spread about as activations are: sums of four
  /// that are spread evenly.
  Tensor matrix(std::int64_t rows, std::int64_t columns) {
    Tensor x = arena_.allocate(rows, columns, DType::f32);
    std::uint32_t state = 1;
    for (std::int64_t i = 0; i < x.size(); ++i) {
      float sum = 0;
      for (int term = 0; term < 4; ++term) {
        state = state * 1664525U + 1013904223U;
        sum += static_cast<float>(static_cast<std::int32_t>(state));
      }
      x.data<float>()[i] = sum * 0x1p-33F;
    }
    return x;
  }
  /// Returns random numbers in the type in which the backend computes.
  Tensor activations(std::int64_t rows, std::int64_t columns) {
    return converted(matrix(rows, columns), backend_->precision().compute);
  }
  /// A layer with weights of the backend's type, as inference has it.
  Linear layer(std::int64_t rows, std::int64_t out, std::int64_t in) {
    const DType type = backend_->precision().weights;
    const Tensor weight = type == DType::i8 ? bytes(out, in) : converted(matrix(out, in), type);
    return {.x = activations(rows, in),
            .weight = backend_->prepack(weight, 1, weight.bytes()),
            .weight_scale = type == DType::i8 ? matrix(1, out) : Tensor(),
            .bias = matrix(1, out),
            .activation = Activation::relu,
            .y = activations(rows, out)};
  }
  Tensor integers(std::int64_t rows, std::int64_t columns, const std::vector<std::int32_t>& values) {
    Tensor x = arena_.allocate(rows, columns, DType::i32);
    backend_->upload(x, values.data());
    return x;
  }
  Tensor doubles(const std::vector<double>& values) {
    Tensor x = arena_.allocate(1, static_cast<std::int64_t>(values.size()), DType::f64);
    backend_->upload(x, values.data());
    return x;
  }
  Dropout dropout(std::int64_t rows, std::int64_t mask_columns) {
    std::vector<std::int32_t> keys;
    for (std::int32_t r = 0; r < rows; ++r) keys.insert(keys.end(), {r / 25, r % 25});
    return {.probability = 0.1,
            .operation = 1,
            .random = integers(1, 2, {1, 2}),
            .row_keys = integers(rows, 2, keys),
            .mask = arena_.allocate(rows, mask_columns, DType::u8)};
  }
  /// `count` sequences of `length` rows each.
  SequenceOffsets offsets(std::int32_t count, std::int32_t length) {
    std::vector<std::int32_t> begin;
    for (std::int32_t i = 0; i < count; ++i) begin.push_back(i * length);
    const std::vector<std::int32_t> lengths(begin.size(), length);
    return {integers(1, count, begin), integers(1, count, lengths), count, length};
  }

 private:
  Tensor converted(const Tensor& x, DType type) {
    if (x.dtype() == type) return x;
    const Tensor y = arena_.allocate(x.rows(), x.columns(), type);
    backend_->run(Convert{.from = x, .to = y});
    return y;
  }
  /// Integers between -127 and 127.
  Tensor bytes(std::int64_t rows, std::int64_t columns) {
    const Tensor x = arena_.allocate(rows, columns, DType::i8);
    for (std::int64_t i = 0; i < x.size(); ++i)
      x.data<std::int8_t>()[i] = static_cast<std::int8_t>(i * 37 % 255 - 127);
    return x;
  }
  static std::string isa() {
    const char* chosen = std::getenv("NMT_BENCH_ISA");
    return chosen == nullptr ? "auto" : chosen;
  }

  std::unique_ptr<Backend> backend_;
  Arena arena_;
};

void count_products(benchmark::State& state, double products) {
  state.counters["GOP/s"] =
      benchmark::Counter(2e-9 * products, benchmark::Counter::kIsIterationInvariantRate);
}

/// A layer whose weight is packed, and in the cache if it fits there.
void linear(benchmark::State& state, const char* precision) {
  Bench bench(precision);
  const Linear arguments = bench.layer(state.range(0), state.range(1), state.range(2));
  bench.backend().run(arguments);
  for (auto _ : state) bench.backend().run(arguments);
  count_products(state, static_cast<double>(state.range(0) * state.range(1) * state.range(2)));
}
void shapes_of_layers(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({1024, 512, 512})
      ->Args({2048, 2048, 512})
      ->Args({2048, 512, 2048})
      ->Args({2048, 32000, 512})
      ->ArgsProduct({{1, 4, 16, 32, 128}, {2048, 32000}, {512}})
      ->ArgsProduct({{1, 4, 16, 32, 128}, {512}, {512, 2048}});
}
BENCHMARK_CAPTURE(linear, f32, "f32")->Apply(shapes_of_layers);
BENCHMARK_CAPTURE(linear, bf16, "bf16")->Apply(shapes_of_layers);
BENCHMARK_CAPTURE(linear, int8, "int8")->Apply(shapes_of_layers);

/// With the weight packed anew, as after every update.
void linear_after_update(benchmark::State& state) {
  Bench bench;
  const std::int64_t rows = state.range(0);
  const std::int64_t out = state.range(1);
  const std::int64_t in = state.range(2);
  const Linear arguments{
      .x = bench.matrix(rows, in), .weight = bench.matrix(out, in), .y = bench.matrix(rows, out)};
  bench.backend().run(arguments);
  for (auto _ : state) {
    bench.backend().weights_changed();
    bench.backend().run(arguments);
  }
  count_products(state, static_cast<double>(rows * out * in));
}
BENCHMARK(linear_after_update)->Args({1024, 512, 512})->Args({2048, 2048, 512})->Args({2048, 32000, 512});

/// range(3): what is computed, 1 the gradient of x, 2 that of the weight, 3 both.
void linear_backward(benchmark::State& state) {
  Bench bench;
  const std::int64_t rows = state.range(0);
  const std::int64_t out = state.range(1);
  const std::int64_t in = state.range(2);
  LinearBackward arguments{
      .x = bench.matrix(rows, in), .weight = bench.matrix(out, in), .dy = bench.matrix(rows, out)};
  if ((state.range(3) & 1) != 0) arguments.dx = bench.matrix(rows, in);
  if ((state.range(3) & 2) != 0) arguments.d_weight = bench.matrix(out, in);
  bench.backend().run(arguments);
  for (auto _ : state) bench.backend().run(arguments);
  const double products = static_cast<double>(rows * out * in);
  count_products(state, state.range(3) == 3 ? 2 * products : products);
}
BENCHMARK(linear_backward)
    ->Args({1024, 512, 512, 1})
    ->Args({1024, 512, 512, 2})
    ->Args({2048, 2048, 512, 1})
    ->Args({2048, 2048, 512, 2})
    ->Args({2048, 512, 2048, 1})
    ->Args({2048, 512, 2048, 2})
    ->Args({2048, 32000, 512, 1})
    ->Args({2048, 32000, 512, 2});

OutputLayer output_layer(Bench& bench, std::int64_t rows) {
  return {bench.matrix(rows, 512), bench.matrix(32000, 512), bench.matrix(1, 32000)};
}

/// The output layer, the loss and all gradients; range(0): the rows of the workspace.
void cross_entropy(benchmark::State& state) {
  Bench bench;
  const std::int64_t rows = 2050;
  const OutputLayer output = output_layer(bench, rows);
  const CrossEntropy arguments{.output = output,
                               .labels = bench.integers(1, rows, std::vector<std::int32_t>(rows, 7)),
                               .label_smoothing = 0.1,
                               .scale = bench.matrix(1, 1),
                               .workspace = bench.matrix(state.range(0), 32000),
                               .loss = bench.matrix(1, rows),
                               .nll = bench.matrix(1, rows),
                               .dx = bench.matrix(rows, 512),
                               .d_weight = bench.matrix(32000, 512),
                               .d_bias = bench.matrix(1, 32000)};
  bench.backend().run(arguments);
  for (auto _ : state) bench.backend().run(arguments);
  count_products(state, 3.0 * static_cast<double>(rows) * 32000 * 512);
}
BENCHMARK(cross_entropy)->Arg(256)->Arg(512)->Arg(1024)->Arg(2304)->Unit(benchmark::kMillisecond);

/// Measures TopK of one model and of an ensemble, output layers included. range(1): the rows of each model in
/// the workspace.
void top_k(benchmark::State& state) {
  Bench bench;
  const std::int64_t models = state.range(0);
  const TopK arguments{.outputs = std::vector(static_cast<std::size_t>(models), output_layer(bench, 128)),
                       .k = 8,
                       .workspace = bench.matrix(models * state.range(1), 32000),
                       .values = bench.matrix(128, 8),
                       .ids = bench.integers(128, 8, std::vector<std::int32_t>(1024))};
  for (auto _ : state) bench.backend().run(arguments);
}
BENCHMARK(top_k)->Args({1, 128})->Args({1, 64})->Args({1, 32})->Args({2, 128})->Unit(benchmark::kMillisecond);

void adam(benchmark::State& state) {
  Bench bench;
  const std::int64_t n = 60'000'000;
  const Adam arguments{.parameter = bench.matrix(1, n),
                       .gradient = bench.matrix(1, n),
                       .first_moment = bench.matrix(1, n),
                       .second_moment = bench.matrix(1, n),
                       .statistics = bench.doubles(std::vector<double>(kStepStatistics)),
                       .clip_norm = 1};
  statistics_in(arguments.statistics) = {.squared_norm = 1, .updates = 1, .rate = 1e-4};
  bench.backend().zero(arguments.second_moment);
  for (auto _ : state) bench.backend().run(arguments);
}
BENCHMARK(adam)->Unit(benchmark::kMillisecond);

void squared_norm(benchmark::State& state) {
  Bench bench;
  const SquaredNorm arguments{.x = bench.matrix(1, 60'000'000), .out = bench.doubles({0})};
  for (auto _ : state) bench.backend().run(arguments);
}
BENCHMARK(squared_norm)->Unit(benchmark::kMillisecond);

/// range(0): with dropout of h.
void add_norm(benchmark::State& state) {
  Bench bench;
  const std::int64_t rows = 2050;
  const std::int64_t d = 512;
  AddNorm arguments{.x = bench.matrix(rows, d),
                    .h = bench.matrix(rows, d),
                    .gain = bench.matrix(1, d),
                    .bias = bench.matrix(1, d),
                    .epsilon = 1e-6,
                    .sum = bench.matrix(rows, d),
                    .y = bench.matrix(rows, d),
                    .mean = bench.matrix(1, rows),
                    .inverse_std = bench.matrix(1, rows)};
  if (state.range(0) != 0) arguments.dropout = bench.dropout(rows, mask_bytes(d));
  for (auto _ : state) bench.backend().run(arguments);
}
BENCHMARK(add_norm)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void add_norm_backward(benchmark::State& state) {
  Bench bench;
  const std::int64_t rows = 2050;
  const std::int64_t d = 512;
  AddNormBackward arguments{.sum = bench.matrix(rows, d),
                            .gain = bench.matrix(1, d),
                            .mean = bench.matrix(1, rows),
                            .inverse_std = bench.matrix(1, rows),
                            .dy = bench.matrix(rows, d),
                            .d_sum = bench.matrix(rows, d),
                            .d_h = bench.matrix(rows, d),
                            .d_gain = bench.matrix(1, d),
                            .d_bias = bench.matrix(1, d)};
  if (state.range(0) != 0) arguments.dropout = bench.dropout(rows, mask_bytes(d));
  for (auto _ : state) bench.backend().run(arguments);
}
BENCHMARK(add_norm_backward)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// 80 sentences of 25 tokens; range(0): with dropout, range(1): backward.
void attention(benchmark::State& state) {
  Bench bench;
  const std::int64_t rows = 2000;
  const std::int64_t d = 512;
  const SequenceOffsets offsets = bench.offsets(80, 25);
  Attention arguments{.query = bench.matrix(rows, d),
                      .key = bench.matrix(rows, d),
                      .value = bench.matrix(rows, d),
                      .queries = offsets,
                      .keys = offsets,
                      .heads = 8,
                      .output = bench.matrix(rows, d),
                      .log_sum_exp = bench.matrix(rows, 8)};
  if (state.range(0) != 0) arguments.dropout = bench.dropout(rows, 8 * mask_bytes(25));
  const AttentionBackward backward{.forward = arguments,
                                   .d_output = bench.matrix(rows, d),
                                   .d_query = bench.matrix(rows, d),
                                   .d_key = bench.matrix(rows, d),
                                   .d_value = bench.matrix(rows, d)};
  bench.backend().run(arguments);
  for (auto _ : state) {
    if (state.range(1) != 0)
      bench.backend().run(backward);
    else
      bench.backend().run(arguments);
  }
}
BENCHMARK(attention)->ArgsProduct({{0, 1}, {0, 1}})->Unit(benchmark::kMillisecond);

void cached_attention(benchmark::State& state) {
  Bench bench;
  const std::int64_t rows = 128;
  const std::int64_t longest = 25;
  std::vector<std::int32_t> index;
  for (std::int32_t i = 0; i < rows * longest; ++i) index.push_back(i);
  const CachedAttention arguments{
      .query = bench.matrix(rows, 512),
      .own_key = bench.matrix(rows, 512),
      .own_value = bench.matrix(rows, 512),
      .key = bench.matrix(rows * longest, 512),
      .value = bench.matrix(rows * longest, 512),
      .index = bench.integers(rows, longest, index),
      .position = bench.integers(1, rows, std::vector<std::int32_t>(rows, longest - 1)),
      .heads = 8,
      .output = bench.matrix(rows, 512)};
  for (auto _ : state) bench.backend().run(arguments);
}
BENCHMARK(cached_attention)->Unit(benchmark::kMillisecond);

/// Embedding of 2050 tokens with dropout, almost all of whose time is the mask.
void embedding(benchmark::State& state) {
  Bench bench;
  const std::int64_t rows = 2050;
  const std::int64_t d = 512;
  std::vector<std::int32_t> ids;
  for (std::int32_t r = 0; r < rows; ++r) ids.push_back(r * 13 % 32000);
  Embedding arguments{.table = bench.matrix(32000, d),
                      .ids = bench.integers(1, rows, ids),
                      .positions = bench.integers(1, rows, std::vector<std::int32_t>(rows, 3)),
                      .position_table = bench.matrix(32, d),
                      .y = bench.matrix(rows, d)};
  if (state.range(0) != 0) arguments.dropout = bench.dropout(rows, mask_bytes(d));
  for (auto _ : state) bench.backend().run(arguments);
}
BENCHMARK(embedding)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nmt
