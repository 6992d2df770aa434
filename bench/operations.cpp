// Measures the times of a backend's operations, and calculates their minimum on a GPU: the time for matrix
// products or for memory traffic, whichever is more. Sizes are those of the base model: d_model 512, d_ff
// 2048, 8 heads, vocabulary of 32,000, sentences of 25 tokens.
//
//   bench_operations GPU|INSTRUCTION-SET PRECISION [SENTENCES [PEAK-TFLOPS TERABYTES-PER-SECOND]]
//
// Default: 1024 sentences, and the measured limits of an H200, 790 TFLOP/s and 4.3 TB/s.
#include <algorithm>
#include <functional>

#include "bench/worker.h"
#include "graph/recurrent.h"
#include "tensor/arena.h"
#include "tensor/backend.h"
#include "tensor/operations/update.h"

namespace nmt::bench {
namespace {

constexpr std::int64_t kD = 512, kFeedForward = 2048, kVocabulary = 32000;
constexpr std::int64_t kLength = kTokens;
constexpr int kHeads = 8;
constexpr double kDropout = 0.1;

/// The minimum work of an operation, however it is computed.
struct Work {
  double products = 0;  // additions and multiplications of matrix products
  double elements = 0;  // of the type that is computed in, read or written
  double bytes = 0;     // of others
};

struct Gpu {
  double flops = 790e12, bytes_per_second = 4.3e12;
};

/// Tensors on a backend, a batch of sentences of one length, and the clock.
class Bench {
 public:
  Bench(const DeviceSettings& device, std::int64_t sentences, const Gpu& gpu, std::int64_t length = kLength)
      : backend_(open_backend(device)), arena_(*backend_), gpu_(gpu), rows_(sentences * length) {
    offsets_ = {integers(1, sentences, [=](std::int64_t i) { return i * length; }),
                integers(1, sentences, [=](std::int64_t) { return length; }), sentences, length};
    random_ = integers(1, 2, [](std::int64_t i) { return i; });
    row_keys_ = integers(rows_, 2, [](std::int64_t i) { return i % 2 ? i / 2 % kLength : i / 2 / kLength; });
    positions_ = integers(1, rows_, [](std::int64_t i) { return i % kLength; });
    ids_ = integers(1, rows_, [](std::int64_t i) { return 3 + i * 7919 % (kVocabulary - 3); });
  }

  std::int64_t rows() const { return rows_; }
  Backend& backend() { return *backend_; }
  const SequenceOffsets& offsets() const { return offsets_; }
  const Tensor& ids() const { return ids_; }
  const Tensor& positions() const { return positions_; }
  const Tensor& random() const { return random_; }

  template <class F>
  Tensor integers(std::int64_t rows, std::int64_t columns, const F& value) {
    std::vector<std::int32_t> values;
    for (std::int64_t i = 0; i < rows * columns; ++i) values.push_back(static_cast<std::int32_t>(value(i)));
    const Tensor to = arena_.allocate(rows, columns, DType::i32);
    backend_->upload(to, values.data());
    return to;
  }
  /// Small numbers of the type that is computed in, or that of masters.
  Tensor matrix(std::int64_t rows, std::int64_t columns) {
    const Tensor to = arena_.allocate(rows, columns, backend_->precision().compute);
    backend_->run(Convert{.from = masters(rows, columns), .to = to});
    return to;
  }
  Tensor masters(std::int64_t rows, std::int64_t columns) {
    const Tensor to = arena_.allocate(rows, columns, backend_->precision().master);
    std::vector<float> values(static_cast<std::size_t>(rows * columns));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i * 7919 % 1009) / 5045 - 0.1F;
    backend_->upload(to, values.data());
    return to;
  }
  Tensor statistics(const StepStatistics& statistics) {
    const Tensor to = arena_.allocate(1, kStepStatistics, DType::f64);
    backend_->upload(to, &statistics);
    return to;
  }
  Dropout dropout(int operation, std::int64_t bytes) {
    return {.probability = kDropout,
            .operation = operation,
            .random = random_,
            .row_keys = row_keys_,
            .mask = arena_.allocate(rows_, bytes, DType::u8)};
  }

  /// Prints what `operation` takes: the best of three goes of at least 50 ms.
  void time(const std::string& name, const Work& work, const std::function<void()>& operation) {
    constexpr double kGo = 0.05;
    operation();
    finish();
    double best = 1e9;
    for (int go = 0; go < 3; ++go) {
      int repetitions = 0;
      const double begin = seconds(CLOCK_MONOTONIC);
      while (repetitions == 0 || seconds(CLOCK_MONOTONIC) - begin < kGo) {
        for (int i = 0; i < 8; ++i, ++repetitions) operation();
        finish();
      }
      best = std::min(best, (seconds(CLOCK_MONOTONIC) - begin) / repetitions);
    }
    const auto element = static_cast<double>(size_of(backend_->precision().compute));
    const double floor =
        std::max(work.products / gpu_.flops, (work.elements * element + work.bytes) / gpu_.bytes_per_second);
    std::cout << fmt::format("{:<46} {:>9.3f} ms   floor {:>7.3f} ms   {:>5.1f} %", name, best * 1e3,
                             floor * 1e3, 100 * floor / best)
              << std::endl;
  }

 private:
  void finish() {
    std::int32_t seed = 0;
    backend_->download(&seed, random_.slice_columns(0, 1));
  }

  std::unique_ptr<Backend> backend_;
  Arena arena_;
  Gpu gpu_;
  std::int64_t rows_;
  SequenceOffsets offsets_;
  Tensor random_, row_keys_, positions_, ids_;
};

void time_linear(Bench& bench, const std::string& name, std::int64_t in, std::int64_t out,
                 Activation activation) {
  const std::int64_t n = bench.rows();
  const Tensor x = bench.matrix(n, in), weight = bench.matrix(out, in), y = bench.matrix(n, out);
  const Tensor dy = bench.matrix(n, out), dx = bench.matrix(n, in);
  const Tensor bias = bench.masters(1, out), d_weight = bench.masters(out, in),
               d_bias = bench.masters(1, out);
  const Dropout dropout = activation == Activation::none ? Dropout() : bench.dropout(1, mask_bytes(out));
  const double sizes = static_cast<double>(in) * static_cast<double>(out), rows = static_cast<double>(n);
  const double elements = rows * static_cast<double>(in + out) + sizes;
  bench.time(name, {.products = 2 * rows * sizes, .elements = elements}, [&] {
    bench.backend().run(Linear{.x = x,
                               .weight = weight,
                               .bias = bias,
                               .activation = activation,
                               .dropout = dropout,
                               .pre_activation = {},
                               .y = y});
  });
  bench.time(name + ", backward",
             {.products = 4 * rows * sizes, .elements = 2 * elements, .bytes = 4 * sizes}, [&] {
               bench.backend().run(LinearBackward{.x = x,
                                                  .weight = weight,
                                                  .activation = activation,
                                                  .dropout = dropout,
                                                  .y = y,
                                                  .pre_activation = {},
                                                  .dy = dy,
                                                  .dx = dx,
                                                  .d_weight = d_weight,
                                                  .d_bias = d_bias});
             });
}

void time_norm(Bench& bench) {
  const std::int64_t n = bench.rows();
  const Tensor x = bench.matrix(n, kD), h = bench.matrix(n, kD), sum = bench.matrix(n, kD),
               y = bench.matrix(n, kD);
  const Tensor dy = bench.matrix(n, kD), gain = bench.masters(1, kD), bias = bench.masters(1, kD);
  const Tensor mean = bench.masters(1, n), inverse_std = bench.masters(1, n);
  const Dropout dropout = bench.dropout(2, mask_bytes(kD));
  const double elements = static_cast<double>(n * kD);
  bench.time("dropout, sum, norm", {.elements = 4 * elements}, [&] {
    bench.backend().run(AddNorm{.x = x,
                                .h = h,
                                .dropout = dropout,
                                .gain = gain,
                                .bias = bias,
                                .epsilon = 1e-6,
                                .sum = sum,
                                .y = y,
                                .mean = mean,
                                .inverse_std = inverse_std});
  });
  bench.time("dropout, sum, norm, backward", {.elements = 4 * elements}, [&] {
    bench.backend().run(AddNormBackward{.sum = sum,
                                        .dropout = dropout,
                                        .gain = gain,
                                        .mean = mean,
                                        .inverse_std = inverse_std,
                                        .dy = dy,
                                        .d_sum = x,
                                        .d_h = h,
                                        .d_gain = gain,
                                        .d_bias = bias});
  });
}

void time_embedding(Bench& bench) {
  const std::int64_t n = bench.rows();
  const Tensor table = bench.matrix(kVocabulary, kD), positions = bench.matrix(kLength, kD),
               y = bench.matrix(n, kD);
  const Tensor d_table = bench.masters(kVocabulary, kD);
  const Dropout dropout = bench.dropout(3, mask_bytes(kD));
  const double elements = static_cast<double>(n * kD);
  bench.time("embedding", {.elements = 2 * elements}, [&] {
    bench.backend().run(Embedding{.table = table,
                                  .ids = bench.ids(),
                                  .positions = bench.positions(),
                                  .position_table = positions,
                                  .dropout = dropout,
                                  .y = y});
  });
  bench.time("embedding, backward", {.elements = elements, .bytes = 8 * elements}, [&] {
    bench.backend().run(EmbeddingBackward{.ids = bench.ids(),
                                          .positions = bench.positions(),
                                          .dropout = dropout,
                                          .dy = y,
                                          .d_table = d_table,
                                          .d_position_table = {}});
  });
}

void time_attention(Bench& bench, const std::string& name, bool causal, bool has_dropout) {
  const std::int64_t n = bench.rows(), length = bench.offsets().longest;
  const Tensor qkv = bench.matrix(n, 3 * kD), output = bench.matrix(n, kD), d_output = bench.matrix(n, kD);
  const Tensor d_qkv = bench.matrix(n, 3 * kD);
  const Attention attention{
      .query = qkv.slice_columns(0, kD),
      .key = qkv.slice_columns(kD, kD),
      .value = qkv.slice_columns(2 * kD, kD),
      .queries = bench.offsets(),
      .keys = bench.offsets(),
      .heads = kHeads,
      .causal = causal,
      .dropout = has_dropout ? bench.dropout(4, kHeads * mask_bytes(length)) : Dropout(),
      .output = output,
      .log_sum_exp = bench.masters(n, kHeads),
      .weights = {}};
  const double elements = static_cast<double>(n * kD), products = 4 * elements * static_cast<double>(length);
  bench.time(name, {.products = products, .elements = 4 * elements}, [&] { bench.backend().run(attention); });
  const AttentionBackward backward{.forward = attention,
                                   .d_output = d_output,
                                   .d_query = d_qkv.slice_columns(0, kD),
                                   .d_key = d_qkv.slice_columns(kD, kD),
                                   .d_value = d_qkv.slice_columns(2 * kD, kD)};
  bench.time(name + ", backward", {.products = 2.5 * products, .elements = 8 * elements},
             [&] { bench.backend().run(backward); });
}

/// A layer with what its backward pass takes, but the product of the input.
void time_recurrent_layer(Bench& bench, const std::string& name, RecurrentCell cell) {
  const std::int64_t n = bench.rows(), gates = gates_of(cell) * kD;
  const Tensor x = bench.matrix(n, gates), dy = bench.matrix(n, kD);
  const Parameter weight{"", bench.matrix(gates, kD), bench.masters(gates, kD)};
  const Parameter bias{"", bench.masters(1, gates), bench.masters(1, gates)};
  const std::vector<RecurrentWeights> cells = {{.cell = cell, .weight = weight, .bias = bias}};
  const std::vector<std::int64_t> batch_sizes(kLength, n / kLength);
  Worker worker(bench.backend());
  const double products = 6 * static_cast<double>(n * gates) * static_cast<double>(kD);
  const double elements = static_cast<double>(n * (4 * gates + 4 * kD));
  bench.time(name + ", forward and backward", {.products = products, .elements = elements}, [&] {
    Graph g(worker, {}, bench.random());
    const Var y = recurrent_layer(g, cells, g.variable(x), batch_sizes, zero_state(g, cell, n / kLength, kD));
    const Tensor gradient = g.allocate(n, kD);
    bench.backend().copy(gradient, dy);
    g.record([&] { g.deposit(y, gradient); });
    g.backward();
  });
}

void time_output(Bench& bench) {
  constexpr std::int64_t kBeam = 4;
  const std::int64_t n = bench.rows(), few = std::min<std::int64_t>(n, 512);
  const Tensor x = bench.matrix(n, kD), weight = bench.matrix(kVocabulary, kD), dx = bench.matrix(n, kD);
  const Tensor d_weight = bench.masters(kVocabulary, kD), bias = bench.masters(1, kVocabulary);
  const Tensor workspace = bench.masters(bench.backend().rows_of_sum(), kVocabulary),
               loss = bench.masters(1, n), nll = bench.masters(1, n);
  const double products = 2 * static_cast<double>(n * kD) * static_cast<double>(kVocabulary);
  bench.time("output layer, loss, gradients", {.products = 3 * products}, [&] {
    bench.backend().run(CrossEntropy{.output = {x, weight, bias},
                                     .labels = bench.ids(),
                                     .label_smoothing = 0.1,
                                     .scale = bias.slice_columns(0, 1),
                                     .workspace = workspace,
                                     .loss = loss,
                                     .nll = nll,
                                     .dx = dx,
                                     .d_weight = d_weight,
                                     .d_bias = bias});
  });
  const Tensor values = bench.masters(few, 2 * kBeam);
  const Tensor ids = bench.integers(few, 2 * kBeam, [](std::int64_t) { return 0; });
  const double share = static_cast<double>(few) / static_cast<double>(n);
  bench.time("output layer, best 8 of 512 rows",
             {.products = products * share, .elements = static_cast<double>(kVocabulary * kD)}, [&] {
               bench.backend().run(TopK{.outputs = {{x.slice_rows(0, few), weight, bias}},
                                        .k = 2 * kBeam,
                                        .workspace = workspace,
                                        .values = values,
                                        .ids = ids});
             });
}

void time_decoding(Bench& bench) {
  constexpr std::int64_t kSeen = 13;  // half of a sentence
  const std::int64_t n = std::min<std::int64_t>(bench.rows(), 512);
  const CachedAttention attention{.query = bench.matrix(n, kD),
                                  .own_key = bench.matrix(n, kD),
                                  .own_value = bench.matrix(n, kD),
                                  .key = bench.matrix(n * kLength, kD),
                                  .value = bench.matrix(n * kLength, kD),
                                  .index = bench.integers(n, kLength, [](std::int64_t i) { return i; }),
                                  .position = bench.integers(1, n, [](std::int64_t) { return kSeen - 1; }),
                                  .heads = kHeads,
                                  .output = bench.matrix(n, kD)};
  bench.time("attention of decoding, 512 rows", {.elements = static_cast<double>(2 * n * kD * kSeen)},
             [&] { bench.backend().run(attention); });
}

void time_update(Bench& bench) {
  const std::int64_t count = bench.rows() * 2400;  // as many as the base model has, for 1000 sentences
  const Tensor parameter = bench.masters(1, count), gradient = bench.masters(1, count);
  const Tensor first = bench.masters(1, count), second = bench.masters(1, count);
  const StepStatistics begin{.squared_norm = 1, .updates = 1, .rate = 1e-6};
  const Tensor statistics = bench.statistics(begin), squared = bench.statistics(begin).slice_columns(0, 1);
  const Tensor compute_copy =
      bench.backend().precision().compute == DType::f32 ? Tensor() : bench.matrix(1, count);
  const auto n = static_cast<double>(count);
  bench.time(fmt::format("Adam, {:.1f} million weights", n / 1e6),
             {.elements = compute_copy ? n : 0, .bytes = 28 * n}, [&] {
               bench.backend().run(Adam{.parameter = parameter,
                                        .gradient = gradient,
                                        .first_moment = first,
                                        .second_moment = second,
                                        .compute_copy = compute_copy,
                                        .statistics = statistics});
             });
  bench.time(fmt::format("squared norm of {:.1f} million", n / 1e6), {.bytes = 4 * n},
             [&] { bench.backend().run(SquaredNorm{.x = gradient, .out = squared}); });
}

void run(const DeviceSettings& device, std::int64_t sentences, const Gpu& gpu) {
  Bench bench(device, sentences, gpu);
  std::cout << fmt::format("{}, {} rows", bench.backend().description(), bench.rows()) << std::endl;
  time_linear(bench, "linear 512 -> 1536", kD, 3 * kD, Activation::none);
  time_linear(bench, "linear 512 -> 512", kD, kD, Activation::none);
  time_linear(bench, "linear 512 -> 2048, relu, dropout", kD, kFeedForward, Activation::relu);
  time_linear(bench, "linear 2048 -> 512", kFeedForward, kD, Activation::none);
  time_norm(bench);
  time_embedding(bench);
  time_attention(bench, "attention", false, true);
  time_attention(bench, "causal attention", true, true);
  time_recurrent_layer(bench, "gru 512", RecurrentCell::gru);
  time_recurrent_layer(bench, "lstm 512", RecurrentCell::lstm);
  time_output(bench);
  time_decoding(bench);
  time_update(bench);
}

/// Measures the attention that NMT_CUDNN_ATTENTION hands to cuDNN: as many rows in longer sequences, without
/// dropout.
void run_long(const DeviceSettings& device, std::int64_t sentences, const Gpu& gpu) {
  for (const std::int64_t length : {64, 256, 1024}) {
    Bench bench(device, std::max<std::int64_t>(sentences * kLength / length, 1), gpu, length);
    for (const bool causal : {false, true})
      time_attention(bench, fmt::format("{}attention over {}", causal ? "causal " : "", length), causal,
                     false);
  }
}

}  // namespace
}  // namespace nmt::bench

int main(int count, char** arguments) {
  if (count != 3 && count != 4 && count != 6) {
    std::cerr << "usage: bench_operations GPU|ISA PRECISION [SENTENCES [PEAK-TFLOPS TERABYTES-PER-SECOND]]\n";
    return 2;
  }
  nmt::bench::Gpu gpu;
  if (count == 6) gpu = {std::stod(arguments[4]) * 1e12, std::stod(arguments[5]) * 1e12};
  const nmt::DeviceSettings device = nmt::bench::device_of(arguments[1], arguments[2], 1);
  const int sentences = count > 3 ? std::stoi(arguments[3]) : 1024;
  nmt::bench::run(device, sentences, gpu);
  nmt::bench::run_long(device, sentences, gpu);
}
