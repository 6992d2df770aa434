#include "translate/quality/sentence_vectors.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "graph/recurrent.h"
#include "nn/input.h"
#include "translate/quality/sequence_batches.h"

namespace nmt {
namespace {

/// Collects the vectors of the sequences of a batch from the hidden states of its pass.
class Pool {
 public:
  Pool(const CometConfig& config, const SourceInput& input)
      : config_(config),
        input_(input),
        d_(config.encoder.d_model),
        needs_rows_(config.mix_norm || config.pooling == Pooling::max) {
    const auto rows = config.pooling == Pooling::max ? input.sequences.rows : std::ssize(input.lengths);
    sums_.resize(static_cast<std::size_t>(rows * d_));
  }

  /// Adds a hidden state, multiplied by a factor of the mix.
  void add(Graph& g, const Var& x, double factor) {
    if (needs_rows_)
      add_rows(download_reals(g.backend(), x.value), factor);
    else
      add_to_sums(download_reals(g.backend(), pooled(g, x)), factor);
  }

  /// Returns the vector of a sequence.
  std::vector<float> vector(std::size_t sequence) const {
    if (config_.pooling == Pooling::max) return maximum(sequence);
    const auto begin = sums_.begin() + static_cast<std::int64_t>(sequence) * d_;
    return {begin, begin + d_};
  }

 private:
  /// Returns the mean or the first row of each sequence.
  Tensor pooled(Graph& g, const Var& x) const {
    if (config_.pooling == Pooling::mean) return sequence_mean(g, x, input_.sequences.offsets).value;
    const Tensor first = g.allocate(std::ssize(input_.lengths), d_);
    std::int64_t begin = 0;
    for (std::int64_t i = 0; i < first.rows(); ++i) {
      g.backend().copy(first.slice_rows(i, 1), x.value.slice_rows(begin, 1));
      begin += input_.lengths[static_cast<std::size_t>(i)];
    }
    return first;
  }

  void add_to_sums(const std::vector<double>& values, double factor) {
    for (std::size_t i = 0; i < values.size(); ++i) sums_[i] += factor * values[i];
  }

  /// Adds rows after normalizing all rows of each sequence together, as COMET does with layer_norm.
  void add_rows(std::vector<double> rows, double factor) {
    double* begin = rows.data();
    for (std::size_t i = 0; i < input_.lengths.size(); ++i) {
      const std::span<double> own(begin, static_cast<std::size_t>(input_.lengths[i] * d_));
      if (config_.mix_norm) normalize(own);
      if (config_.pooling != Pooling::max) add_sequence(i, own, factor);
      begin += own.size();
    }
    if (config_.pooling == Pooling::max) add_to_sums(rows, factor);
  }

  static void normalize(std::span<double> x) {
    constexpr double kEpsilon = 1e-12;
    const auto count = static_cast<double>(x.size());
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) / count;
    double squares = 0;
    for (const double value : x) squares += (value - mean) * (value - mean);
    const double factor = 1 / std::sqrt(squares / count + kEpsilon);
    for (double& value : x) value = (value - mean) * factor;
  }

  /// Adds the mean or the first row of a sequence.
  void add_sequence(std::size_t sequence, std::span<const double> rows, double factor) {
    double* sum = sums_.data() + static_cast<std::int64_t>(sequence) * d_;
    const auto d = static_cast<std::size_t>(d_);
    const std::size_t counted = config_.pooling == Pooling::first ? d : rows.size();
    const double each = factor * static_cast<double>(d) / static_cast<double>(counted);
    for (std::size_t i = 0; i < counted; ++i) sum[i % d] += each * rows[i];
  }

  std::vector<float> maximum(std::size_t sequence) const {
    const std::int64_t before =
        std::accumulate(input_.lengths.begin(), input_.lengths.begin() + static_cast<std::int64_t>(sequence),
                        std::int64_t{0});
    const double* rows = sums_.data() + before * d_;
    std::vector<float> most(rows, rows + d_);
    for (std::int64_t i = d_; i < input_.lengths[sequence] * d_; ++i) {
      float& so_far = most[static_cast<std::size_t>(i % d_)];
      so_far = std::max(so_far, static_cast<float>(rows[i]));
    }
    return most;
  }

  const CometConfig& config_;
  const SourceInput& input_;
  std::int64_t d_;
  bool needs_rows_;           // whether single rows count, not only means or first rows
  std::vector<double> sums_;  // [sequences, d], or [rows, d] for maxima
};

void check_finite(const std::vector<float>& values) {
  if (!std::ranges::all_of(values, [](float x) { return std::isfinite(x); })) refuse_not_finite();
}

/// Encodes the sequences with these numbers.
void encode_batch(const CometModel& model, std::span<const float> mix, Worker& worker,
                  const std::vector<std::vector<int>>& sequences, const std::vector<std::size_t>& numbers,
                  std::vector<EncodedSequence>& encoded) {
  Graph g(worker);
  const SourceInput input = source_input(g, sources(sequences, numbers), {.ends_source = false});
  Pool pool(model.config(), input);
  std::vector<double> tags;
  model.encode(g, input, [&](std::int64_t state, const Var& x) {
    const double factor = mix[static_cast<std::size_t>(state)];
    if (factor != 0) pool.add(g, x, factor);
    if (model.config().tags() > 0 && state == model.config().word_layer)
      tags = download_reals(g.backend(), model.tags(g, x).value);
  });
  auto next = tags.begin();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EncodedSequence& to = encoded[numbers[i]];
    to.vector = pool.vector(i);
    check_finite(to.vector);
    const auto end = tags.empty() ? next : next + input.lengths[i] * model.config().tags();
    to.tags.assign(next, end);
    check_finite(to.tags);
    next = end;
  }
}

}  // namespace

std::vector<EncodedSequence> encode(const CometModel& model, std::span<const float> mix, Workers& workers,
                                    const std::vector<std::vector<int>>& sequences,
                                    const std::function<void(std::size_t)>& done) {
  std::vector<EncodedSequence> encoded(sequences.size());
  each_batch(
      workers, sequences,
      [&](Worker& worker, const std::vector<std::size_t>& numbers) {
        encode_batch(model, mix, worker, sequences, numbers, encoded);
      },
      done);
  return encoded;
}

}  // namespace nmt
