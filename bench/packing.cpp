// Speed of the steps between encoding pairs and computing on them, on one thread. Items are pairs.
// NMT_BENCH_CORPUS names a packed corpus, of which a pool of maximum size is used.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "data/batches/batches.h"
#include "data/batches/example_order.h"
#include "data/packed/packed_corpus.h"
#include "nn/input.h"
#include "tests/backend/rounding.h"

namespace nmt {
namespace {

const PackedCorpus& corpus() {
  const char* path = std::getenv("NMT_BENCH_CORPUS");
  if (path == nullptr) throw UsageError("NMT_BENCH_CORPUS names no packed corpus; make one with nmt batch");
  static const PackedCorpus opened(path);
  return opened;
}

/// Numbers of the pairs of a pool, in the order of training.
std::vector<std::int64_t> numbers() {
  const Permutation order(corpus().size(), 1, 0);
  std::vector<std::int64_t> numbers(std::min(corpus().size(), StreamSettings{}.pool));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = order(static_cast<std::int64_t>(i));
  return numbers;
}

std::vector<Example> read(const std::vector<std::int64_t>& numbers) {
  const std::atomic<bool> go_on{false};
  Dropped dropped;
  return corpus().examples(numbers, 0, dropped, go_on);
}

void count(benchmark::State& state, std::size_t pairs) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(pairs));
}

/// SentencePiece on both sides, for comparison.
void BM_Encode(benchmark::State& state) {
  std::vector<std::int64_t> some = numbers();
  some.resize(std::min<std::size_t>(some.size(), 20'000));
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Example& example : read(some)) {
    lines.emplace_back(corpus().source_vocabulary().decode(example.source),
                       corpus().target_vocabulary().decode(example.target));
  }
  for (auto _ : state) {
    for (const auto& [source, target] : lines) {
      benchmark::DoNotOptimize(corpus().source_vocabulary().encode(source));
      benchmark::DoNotOptimize(corpus().target_vocabulary().encode(target));
    }
  }
  count(state, lines.size());
}

/// Measures the work of nmt batch on pairs that are already encoded, without a file.
void BM_Write(benchmark::State& state) {
  const std::vector<Example> examples = read(numbers());
  const Encoding encoding{corpus().source_vocabulary(), corpus().target_vocabulary(), {}};
  for (auto _ : state) {
    PackedCorpusWriter writer("/dev/null", encoding);
    for (const Example& example : examples) writer.add(example);
    writer.finish({});
  }
  count(state, examples.size());
}

void BM_Read(benchmark::State& state) {
  const std::vector<std::int64_t> pool = numbers();
  for (auto _ : state) benchmark::DoNotOptimize(read(pool));
  count(state, pool.size());
}

/// Sorted by length and split into batches.
void BM_Batches(benchmark::State& state) {
  const std::vector<std::int64_t> pool = numbers();
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<Example> examples = read(pool);
    state.ResumeTiming();
    benchmark::DoNotOptimize(batches_of(std::move(examples), state.range(0)));
  }
  count(state, pool.size());
}

/// Updates of one or more batches of 25,000 tokens partitioned among ranks. Tells how many tokens more than
/// the mean the slowest rank of an update has, in percent: on average over the updates of a pool, and at
/// worst.
void BM_Partition(benchmark::State& state) {
  const auto ranks = static_cast<std::size_t>(state.range(0));
  BatchStream stream(corpus(), {.first_pool = StreamSettings{}.pool});
  std::vector<Batch> batches;
  do {
    batches.push_back(stream.next());
  } while (stream.position().pool == 0 && stream.epochs_finished() == 0);
  double sum = 0, worst = 0;
  std::int64_t updates = 0, begun = 0;
  std::vector<std::int64_t> tokens(ranks);
  for (auto _ : state) {
    for (const Batch& batch : batches) {
      partition(batch, tokens);
      if (++begun < state.range(1)) continue;
      const auto all = static_cast<double>(std::reduce(tokens.begin(), tokens.end()));
      const double more =
          static_cast<double>(std::ranges::max(tokens)) * static_cast<double>(ranks) / all - 1;
      sum += more;
      worst = std::max(worst, more);
      ++updates;
      begun = 0;
      tokens.assign(ranks, 0);
    }
  }
  state.counters["mean_percent"] = 100 * sum / static_cast<double>(updates);
  state.counters["worst_percent"] = 100 * worst;
}

/// Batches of a number of tokens, rounded up as a GPU wants them. Reports how many rows are added, in
/// percent, and how many of the batches have shapes that are among the 64 last ones, which are replayed.
void BM_Buckets(benchmark::State& state) {
  using Shapes = std::array<std::int64_t, 5>;
  constexpr std::int64_t kBatches = 2000;
  constexpr std::size_t kMostKnown = 64;
  testing::Rounding backend(256);  // rows that a GPU asks for
  Worker worker(backend);
  const Graph training(worker, {}, {});
  std::int64_t rows = 0, added = 0, replayed = 0;
  for (auto _ : state) {
    BatchStream stream(corpus(), {.batch_tokens = state.range(0)});
    std::vector<Shapes> known;  // the last one last
    for (std::int64_t i = 0; i < kBatches; ++i) {
      const auto [source, target] = batch_input(training, stream.next().examples, SpecialTokens{});
      const Sequences &from = source.sequences, &to = target.sequences;
      rows += stream.size().source + stream.size().target;
      added += from.rows + to.rows - stream.size().source - stream.size().target;
      const Shapes shapes = {from.rows, to.rows, from.offsets.count, from.offsets.longest,
                             to.offsets.longest};
      replayed += static_cast<std::int64_t>(std::erase(known, shapes));
      if (known.size() == kMostKnown) known.erase(known.begin());
      known.push_back(shapes);
    }
  }
  state.counters["added_percent"] = 100 * static_cast<double>(added) / static_cast<double>(rows);
  state.counters["replayed_percent"] =
      100 * static_cast<double>(replayed) / static_cast<double>(state.iterations() * kBatches);
}

BENCHMARK(BM_Encode)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Write)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Read)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Batches)->Arg(4096)->Arg(25000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Partition)->ArgsProduct({{2, 8, 64}, {1, 4, 16}})->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Buckets)
    ->Arg(1000)
    ->Arg(3000)
    ->Arg(8000)
    ->Arg(25000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nmt
