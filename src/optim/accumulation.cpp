#include "optim/accumulation.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <optional>

#include "data/batches/batches.h"

namespace nmt {

void GradientSum::final_from(const void* first) {
  const auto bytes = static_cast<const char*>(first) - static_cast<const char*>(gradients_.raw());
  const std::int64_t final = bytes / static_cast<std::int64_t>(size_of(gradients_.dtype()));
  for (; asked_ < shard_.buckets().size() && shard_.buckets()[asked_].begin >= final; ++asked_) {
    if (asked_ == 0) before_first_();
    const auto [begin, size] = shard_.buckets()[asked_];
    const Tensor bucket = gradients_.slice_columns(begin, size);
    communicator_.reduce_scatter(bucket, travel_);
    if (!shard_.divided()) communicator_.all_gather(bucket);
  }
}

void GradientSum::finish() {
  final_from(gradients_.raw());
  if (asked_ == 0) before_first_();
  const auto [begin, size] = shard_.vectors();
  if (size > 0) communicator_.all_reduce(gradients_.slice_columns(begin, size));
  communicator_.finish();
}

namespace {

/// Splits the examples of a shard into parts of 3, 2 and 1 sixths of its tokens.
AccumulationShard falling_parts(Batch shard, std::int64_t micro_batch_tokens) {
  constexpr std::array kEnds = {3, 5, 6};  // ends of the parts, in sixths
  const BatchSize size = size_of(shard);
  const std::int64_t tokens = size.source + size.target;
  AccumulationShard parts;
  std::int64_t begun = 0;
  auto next = std::make_move_iterator(shard.examples.begin());
  const auto end = std::make_move_iterator(shard.examples.end());
  for (const int sixths : kEnds) {
    std::vector<Example> part;
    for (; next != end && begun * 6 < tokens * sixths; ++next) {
      begun += tokens_of(*next.base());
      part.push_back(*next);
    }
    std::ranges::move(split(std::move(part), micro_batch_tokens), std::back_inserter(parts));
  }
  return parts;
}

/// Shards that workers claim and release.
class OpenShards {
 public:
  explicit OpenShards(const std::vector<AccumulationShard>& shards) {
    std::size_t first = 0;
    for (const AccumulationShard& shard : shards) {
      states_.push_back({.first = first, .left = shard.size()});
      first += shard.size();
    }
  }

  /// A micro-batch of a claimed shard.
  struct Piece {
    std::size_t shard, batch, number;
  };
  /// Claims the free shard with the most micro-batches left and returns its next micro-batch; none if no free
  /// shard has any left.
  std::optional<Piece> take() {
    const std::lock_guard lock(guard_);
    State* longest = nullptr;
    for (State& state : states_) {
      if (!state.taken && state.left > 0 && (longest == nullptr || state.left > longest->left))
        longest = &state;
    }
    if (longest == nullptr) return std::nullopt;
    longest->taken = true;
    --longest->left;
    const std::size_t batch = longest->done++;
    return Piece{static_cast<std::size_t>(longest - states_.data()), batch, longest->first + batch};
  }
  void put_back(std::size_t shard) {
    const std::lock_guard lock(guard_);
    states_[shard].taken = false;
  }
  /// Makes take() return none from now on.
  void close() {
    const std::lock_guard lock(guard_);
    for (State& state : states_) state.left = 0;
  }

 private:
  struct State {
    std::size_t first = 0, left = 0, done = 0;
    bool taken = false;
  };
  std::mutex guard_;
  std::vector<State> states_;
};

}  // namespace

std::vector<AccumulationShard> accumulation_shards(Batch batch, std::int64_t workers,
                                                   std::int64_t micro_batch_tokens) {
  const BatchSize size = size_of(batch);
  const std::int64_t count = workers + 1;
  if (workers == 1 || std::min(size.source, size.target) < count * kSmallestShard)
    return {split(std::move(batch.examples), micro_batch_tokens)};
  std::vector<AccumulationShard> shards;
  for (Batch& shard : partition(std::move(batch), static_cast<int>(count))) {
    if (!shard.examples.empty()) shards.push_back(falling_parts(std::move(shard), micro_batch_tokens));
  }
  return shards;
}

std::size_t micro_batches(const std::vector<AccumulationShard>& shards) {
  std::size_t count = 0;
  for (const AccumulationShard& shard : shards) count += shard.size();
  return count;
}

void AccumulationWorkers::run(const std::vector<AccumulationShard>& shards, const Tensor& sum,
                              const Work& work) {
  if (shards.size() == 1) {
    for (std::size_t i = 0; i < shards[0].size(); ++i) work(shards[0][i], i, workers_.whole(), sum);
    return;
  }
  while (gradients_.size() + 1 < shards.size())
    gradients_.push_back(allocate_tensor(workers_.device(), 1, sum.columns(), sum.dtype()));
  OpenShards open(shards);
  workers_.each(static_cast<std::size_t>(workers_.count()), [&](Worker& worker, std::size_t) {
    try {
      while (const auto piece = open.take()) {
        const Tensor& gradients = piece->shard == 0 ? sum : gradients_[piece->shard - 1];
        if (piece->shard > 0 && piece->batch == 0) worker.backend().zero(gradients);
        work(shards[piece->shard][piece->batch], piece->number, worker, gradients);
        open.put_back(piece->shard);
      }
    } catch (...) {
      open.close();
      throw;
    }
  });
  for (std::size_t i = 0; i + 1 < shards.size(); ++i) workers_.device().add(sum, gradients_[i]);
}

void AccumulationWorkers::run(const std::vector<AccumulationShard>& shards, const Tensor& sum,
                              const TrainingPasses& passes, const Loss& loss) {
  const std::size_t count = micro_batches(shards);
  run(shards, sum, [&](const Batch& batch, std::size_t number, Worker& worker, const Tensor& gradients) {
    Graph g(worker, passes.dropout, passes.random, passes.key);
    if (passes.stop != nullptr) g.end_on(*passes.stop);
    if (passes.recompute_activations) g.recompute_activations();
    g.divert_gradients(sum, gradients);
    loss(g, batch, number);
    g.backward(shards.size() == 1 && number == count - 1 ? passes.final : FinalGradients());
  });
}

}  // namespace nmt
