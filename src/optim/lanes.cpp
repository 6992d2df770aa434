#include "optim/lanes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <optional>

#include "data/batches/batches.h"
#include "data/batches/deal.h"

namespace nmt {
namespace {

// Tokens of a side below which a lane costs more than it brings: to clear a buffer of gradients and add it up
// takes as long as some tens of tokens.
constexpr std::int64_t kShortestLane = 200;

/// Cuts the examples of a lane in parts of 3, 2 and 1 sixths of its tokens.
Lane falling_parts(Batch lane, std::int64_t micro_batch_tokens) {
  constexpr std::array kEnds = {3, 5, 6};  // of the parts, in sixths
  const BatchSize size = size_of(lane);
  const std::int64_t tokens = size.source + size.target;
  Lane parts;
  std::int64_t begun = 0;
  auto next = std::make_move_iterator(lane.examples.begin());
  const auto end = std::make_move_iterator(lane.examples.end());
  for (const int sixths : kEnds) {
    std::vector<Example> part;
    for (; next != end && begun * 6 < tokens * sixths; ++next) {
      begun += tokens_of(*next.base());
      part.push_back(*next);
    }
    std::ranges::move(cut(std::move(part), micro_batch_tokens), std::back_inserter(parts));
  }
  return parts;
}

/// Lanes as workers take them and put them back.
class OpenLanes {
 public:
  explicit OpenLanes(const std::vector<Lane>& lanes) {
    std::size_t first = 0;
    for (const Lane& lane : lanes) {
      states_.push_back({.first = first, .left = lane.size()});
      first += lane.size();
    }
  }

  /// A micro-batch of a lane that is taken.
  struct Piece {
    std::size_t lane, batch, number;
  };
  /// The next one of the lane that has the most left of those that nobody is at; none when there are enough
  /// workers for what is left.
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
  void put_back(std::size_t lane) {
    const std::lock_guard lock(guard_);
    states_[lane].taken = false;
  }
  /// Nobody finds a lane any more.
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

std::vector<Lane> lanes_of(Batch batch, std::int64_t workers, std::int64_t micro_batch_tokens) {
  const BatchSize size = size_of(batch);
  const std::int64_t count = workers + 1;
  if (workers == 1 || std::min(size.source, size.target) < count * kShortestLane)
    return {cut(std::move(batch.examples), micro_batch_tokens)};
  std::vector<Lane> lanes;
  for (Batch& lane : deal(std::move(batch), static_cast<int>(count))) {
    if (!lane.examples.empty()) lanes.push_back(falling_parts(std::move(lane), micro_batch_tokens));
  }
  return lanes;
}

void LaneWorkers::run(const std::vector<Lane>& lanes, const Tensor& sum, const Work& work) {
  if (lanes.size() == 1) {
    for (std::size_t i = 0; i < lanes[0].size(); ++i) work(lanes[0][i], i, workers_.whole(), sum);
    return;
  }
  while (gradients_.size() + 1 < lanes.size())
    gradients_.push_back(allocate_tensor(workers_.device(), 1, sum.columns(), sum.dtype()));
  OpenLanes open(lanes);
  workers_.each(static_cast<std::size_t>(workers_.count()), [&](Worker& worker, std::size_t) {
    try {
      while (const auto piece = open.take()) {
        const Tensor& gradients = piece->lane == 0 ? sum : gradients_[piece->lane - 1];
        if (piece->lane > 0 && piece->batch == 0) worker.backend().zero(gradients);
        work(lanes[piece->lane][piece->batch], piece->number, worker, gradients);
        open.put_back(piece->lane);
      }
    } catch (...) {
      open.close();
      throw;
    }
  });
  for (std::size_t i = 0; i + 1 < lanes.size(); ++i) workers_.device().add(sum, gradients_[i]);
}

}  // namespace nmt
