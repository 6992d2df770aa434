#include "data/batches/batches.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>

#include "common/error.h"
#include "common/log/progress_line.h"
#include "common/philox.h"
#include "common/text/number.h"
#include "data/batches/example_order.h"

namespace nmt {
namespace {

/// Returns the number of tokens of a side, including EOS.
std::int64_t tokens(const std::vector<int>& ids) {
  return static_cast<std::int64_t>(ids.size()) + 1;
}

/// Shuffles by Fisher and Yates, with numbers that depend only on seed, epoch and pool.
void shuffle(std::vector<Batch>& batches, std::uint64_t seed, std::int64_t epoch, std::int64_t pool) {
  for (std::size_t i = batches.size(); i > 1; --i) {
    const auto words = philox4x32({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(epoch),
                                   static_cast<std::uint32_t>(pool), 0x73687566U},
                                  {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    const std::uint64_t random = std::uint64_t{words[0]} << 32 | words[1];
    std::swap(batches[i - 1], batches[random % i]);
  }
}

/// Returns a key for random draws: of a whole pool, or, if `batches` is above 0, of the update that ends
/// after this number of its batches.
std::uint64_t draw_key(std::uint64_t seed, std::int64_t epoch, std::int64_t pool, std::int64_t batches = 0) {
  const auto words = philox4x32({static_cast<std::uint32_t>(epoch), static_cast<std::uint32_t>(pool),
                                 static_cast<std::uint32_t>(batches), 0x706F6F6CU},
                                {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return std::uint64_t{words[0]} << 32 | words[1];
}

/// Returns how many of these batches of a pool were taken.
std::size_t taken_of(const StreamPosition::Split& split, const std::vector<Batch>& batches) {
  return std::min(batches.size(), static_cast<std::size_t>(split.consumed));
}

}  // namespace

std::vector<Batch> partition(Batch batch, int count) {
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(count));
  return partition(std::move(batch), tokens);
}

std::vector<Batch> partition(Batch batch, std::vector<std::int64_t>& tokens) {
  std::vector<std::int64_t> lengths;
  for (const Example& example : batch.examples) lengths.push_back(tokens_of(example));
  std::vector<std::size_t> part_of(lengths.size());
  for (const std::size_t i : longest_first(lengths)) {
    const auto fewest = std::ranges::min_element(tokens);
    *fewest += lengths[i];
    part_of[i] = static_cast<std::size_t>(fewest - tokens.begin());
  }
  std::vector<Batch> parts(tokens.size());
  for (std::size_t i = 0; i < part_of.size(); ++i)
    parts[part_of[i]].examples.push_back(std::move(batch.examples[i]));
  return parts;
}

BatchSize& BatchSize::operator+=(const BatchSize& other) {
  source += other.source;
  target += other.target;
  padded_source += other.padded_source;
  padded_target += other.padded_target;
  pairs += other.pairs;
  return *this;
}

BatchSize size_of(const Batch& batch) {
  BatchSize size;
  std::int64_t longest_source = 0, longest_target = 0;
  for (const Example& example : batch.examples) {
    const std::int64_t source = example.source.empty() ? 0 : tokens(example.source);
    size.source += source;
    size.target += tokens(example.target);
    longest_source = std::max(longest_source, source);
    longest_target = std::max(longest_target, tokens(example.target));
  }
  const auto count = static_cast<std::int64_t>(batch.examples.size());
  size.padded_source = count * longest_source;
  size.padded_target = count * longest_target;
  size.pairs = count;
  return size;
}

std::vector<Batch> split(std::vector<Example> examples, std::int64_t budget) {
  std::vector<Batch> batches;
  std::int64_t longest = 0;
  for (Example& example : examples) {
    longest = std::max({longest, tokens(example.source), tokens(example.target)});
    const bool fits =
        !batches.empty() && static_cast<std::int64_t>(batches.back().examples.size() + 1) * longest <= budget;
    if (!fits) {
      batches.emplace_back();
      longest = std::max(tokens(example.source), tokens(example.target));
    }
    batches.back().examples.push_back(std::move(example));
  }
  return batches;
}

std::vector<Batch> batches_of(std::vector<Example> examples, std::int64_t budget) {
  sort_by_lengths(examples, budget);
  return split(std::move(examples), budget);
}

BatchStream::BatchStream(const Corpus& corpus, const StreamSettings& settings, StreamPosition start)
    : corpus_(corpus),
      settings_(settings),
      first_pass_(corpus.size(), settings.first_pool, settings.pool),
      later_pass_(corpus.size(), settings.pool, settings.pool),
      position_(std::move(start)),
      whole_pass_(position_.pool == 0 && position_.splits.empty()) {
  if (corpus.size() == 0) throw Error("'{}' is empty; there is nothing to train on", corpus.name());
  if (position_.epoch < 0 || position_.pool < 0 || position_.pool >= pools().count()) {
    throw Error("a position in '{}' lies outside of it: pool {} of {}", corpus.name(), position_.pool,
                pools().count());
  }
  if (position_.splits.empty() || position_.splits.back().batch_tokens != settings.batch_tokens) {
    position_.splits.push_back({settings.batch_tokens, 0});
  }
  const bool resumed = position_.splits.front().consumed > 0;
  prefetch(position_);
  if (!resumed) return;
  wait();
  open_pool();
}

BatchStream::~BatchStream() {
  stopping_ = true;
}

BatchStream::Pool BatchStream::make_pool(const StreamPosition& position) const {
  const Pools& pools = this->pools(position.epoch);
  const std::vector<std::int64_t> numbers = corpus_.order(
      settings_.seed, position.epoch, pools.begin(position.pool), pools.begin(position.pool + 1));
  Pool pool;
  std::vector<Example> examples = corpus_.examples(
      numbers, draw_key(settings_.seed, position.epoch, position.pool), pool.dropped, stopping_);
  pool.pairs = examples.size();
  std::vector<Batch> batches;
  for (const StreamPosition::Split& split : position.splits) {
    for (Batch& batch : batches) std::ranges::move(batch.examples, std::back_inserter(examples));
    pool.split_pairs = examples.size();
    batches = batches_of(std::move(examples), split.batch_tokens);
    examples.clear();
    shuffle(batches, settings_.seed, position.epoch, position.pool);
    pool.split_batches = batches.size();
    if (&split != &position.splits.back()) batches.resize(batches.size() - taken_of(split, batches));
  }
  const std::size_t taken = taken_of(position.splits.back(), batches);
  partition_over_ranks(std::move(batches), static_cast<std::int64_t>(taken), pool);
  return pool;
}

/// Partitions the batches of an update together, counted from the place where they were split, so that a
/// continued run has the same shares. If an update begins elsewhere, its parts are even anyway, as partitions
/// are even after every batch.
void BatchStream::partition_over_ranks(std::vector<Batch> batches, std::int64_t taken, Pool& pool) const {
  const std::int64_t first = taken / settings_.delay * settings_.delay;
  batches.resize(batches.size() - static_cast<std::size_t>(first));
  std::vector<std::int64_t> tokens;
  for (std::int64_t number = first; !batches.empty(); ++number) {
    if (number % settings_.delay == 0) tokens.assign(static_cast<std::size_t>(settings_.ranks), 0);
    Batch batch = std::move(batches.back());
    batches.pop_back();
    const std::size_t pairs = batch.examples.size();
    const BatchSize size = size_of(batch);
    Batch share = std::move(partition(std::move(batch), tokens)[static_cast<std::size_t>(settings_.rank)]);
    if (number < taken) continue;
    pool.batches.push_back({std::move(share), size, pairs});
    pool.pairs_left += pairs;
  }
  std::ranges::reverse(pool.batches);
}

void BatchStream::prefetch(StreamPosition position) {
  prefetched_ =
      std::async(std::launch::async, [this, position = std::move(position)] { return make_pool(position); });
}

void BatchStream::report_dropped() const {
  const std::string reasons = description(dropped_, corpus_.filter());
  if (!reasons.empty() && settings_.rank == 0)
    settings_.job.log->warning("'{}': dropped of {}: {}", corpus_.name(), count_of(corpus_.size(), "pair"),
                               reasons);
}

void BatchStream::wait() {
  const auto asked = std::chrono::steady_clock::now();
  std::optional<ProgressLine> progress;  // later pools are usually ready in time
  if (!started_ && settings_.rank == 0) progress.emplace(*settings_.job.log, "preparing the first batches");
  while (prefetched_.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    if (settings_.rank == 0) settings_.job.stop->check();
    if (progress) progress->wait();
  }
  seconds_waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
}

void BatchStream::open_pool() {
  started_ = true;
  current_ = prefetched_.get();
  pairs_of_pass_ += current_.pairs;
  if (position_.epoch == 0 && whole_pass_) {
    dropped_ += current_.dropped;
    if (position_.pool == pools().count() - 1) report_dropped();
  }
  prefetch(after(position_));
}

void BatchStream::next_pool() {
  if (started_) position_ = after(position_);
  if (started_ && position_.pool == 0) {
    if (pairs_of_pass_ == 0 && whole_pass_) {
      throw Error("'{}' has no pair to train on: {}; check the text, and the settings that drop pairs",
                  corpus_.name(), description(dropped_, corpus_.filter()));
    }
    pairs_of_pass_ = 0;
    whole_pass_ = true;
  }
  open_pool();
}

StreamPosition BatchStream::after(const StreamPosition& position) const {
  const bool last = position.pool == pools(position.epoch).count() - 1;
  return {position.epoch + (last ? 1 : 0), last ? 0 : position.pool + 1, {{settings_.batch_tokens, 0}}};
}

void BatchStream::find_batch() {
  while (current_.batches.empty()) {
    wait();
    next_pool();
  }
}

double BatchStream::updates_per_pass() {
  find_batch();
  const auto ratio = [](auto a, auto b) { return static_cast<double>(a) / static_cast<double>(b); };
  const std::int64_t numbers = pools().begin(position_.pool + 1) - pools().begin(position_.pool);
  return ratio(current_.split_batches, current_.split_pairs) * ratio(current_.pairs, numbers) *
         static_cast<double>(corpus_.size()) / static_cast<double>(settings_.delay);
}

void BatchStream::take_batch() {
  PartOfBatch batch = std::move(current_.batches.back());
  current_.batches.pop_back();
  current_.pairs_left -= batch.pairs;
  ++position_.splits.back().consumed;
  std::ranges::move(batch.share.examples, std::back_inserter(begun_->share.examples));
  begun_->size += batch.size;
  ++begun_->batches;
}

Batch BatchStream::next() {
  do {
    find_batch();
    if (!begun_) begun_ = Begun{.start = position_, .epochs = epochs()};
    take_batch();
  } while (begun_->batches < settings_.delay && !pass_is_complete());
  size_ = begun_->size;
  Batch share = std::move(begun_->share);
  before_ = {.start = std::move(begun_->start), .epochs = begun_->epochs};
  begun_.reset();
  return share;
}

std::uint64_t BatchStream::update_key() const {
  std::int64_t batches = 0;
  for (const StreamPosition::Split& split : position_.splits) batches += split.consumed;
  return draw_key(settings_.seed, position_.epoch, position_.pool, batches);
}

bool BatchStream::pass_is_complete() const {
  return started_ && position_.pool == pools().count() - 1 && current_.batches.empty();
}

std::int64_t BatchStream::epochs_finished() const {
  return position_.epoch + (pass_is_complete() ? 1 : 0);
}

double BatchStream::epochs() const {
  if (begun_) return begun_->epochs;
  if (!started_) return static_cast<double>(position_.epoch);
  const double left = current_.pairs == 0
                          ? 0
                          : static_cast<double>(current_.pairs_left) / static_cast<double>(current_.pairs);
  const auto begin = static_cast<double>(pools().begin(position_.pool)),
             end = static_cast<double>(pools().begin(position_.pool + 1));
  return static_cast<double>(position_.epoch) +
         (end - left * (end - begin)) / static_cast<double>(corpus_.size());
}

}  // namespace nmt
