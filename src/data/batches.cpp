#include "data/batches.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/log.h"
#include "common/philox.h"
#include "data/length_order.h"
#include "data/permutation.h"

namespace nmt {
namespace {

/// Tokens of a side with its end mark.
std::int64_t tokens(const std::vector<int>& ids) {
  return static_cast<std::int64_t>(ids.size()) + 1;
}

/// Fisher and Yates, with numbers that depend on seed, epoch and pool alone.
void shuffle(std::vector<Batch>& batches, std::uint64_t seed, std::int64_t epoch, std::int64_t pool) {
  for (std::size_t i = batches.size(); i > 1; --i) {
    const auto words = philox4x32({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(epoch),
                                   static_cast<std::uint32_t>(pool), 0x73687566U},
                                  {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    const std::uint64_t random = std::uint64_t{words[0]} << 32 | words[1];
    std::swap(batches[i - 1], batches[random % i]);
  }
}

}  // namespace

BatchSize size_of(const Batch& batch) {
  BatchSize size;
  std::int64_t longest_source = 0, longest_target = 0;
  for (const Example& example : batch.examples) {
    size.source += tokens(example.source);
    size.target += tokens(example.target);
    longest_source = std::max(longest_source, tokens(example.source));
    longest_target = std::max(longest_target, tokens(example.target));
  }
  const auto count = static_cast<std::int64_t>(batch.examples.size());
  size.padded_source = count * longest_source;
  size.padded_target = count * longest_target;
  return size;
}

std::vector<Batch> cut(const std::vector<Example>& examples, std::int64_t budget) {
  std::vector<Batch> batches;
  std::int64_t longest = 0;
  for (const Example& example : examples) {
    longest = std::max({longest, tokens(example.source), tokens(example.target)});
    const bool fits =
        !batches.empty() && static_cast<std::int64_t>(batches.back().examples.size() + 1) * longest <= budget;
    if (!fits) {
      batches.emplace_back();
      longest = std::max(tokens(example.source), tokens(example.target));
    }
    batches.back().examples.push_back(example);
  }
  return batches;
}

std::vector<Batch> batches_of(std::vector<Example> examples, std::int64_t budget) {
  sort_by_lengths(examples, budget);
  return cut(examples, budget);
}

BatchStream::BatchStream(const ParallelText& text, Encoding encoding, const StreamSettings& settings)
    : text_(text),
      encoding_(std::move(encoding)),
      settings_(settings),
      pools_((text.size() + settings.pool - 1) / settings.pool) {
  if (text.size() == 0) throw Error("'{}' is empty; there is nothing to train on", text.source().name());
  prefetch(0, 0);
}

BatchStream::~BatchStream() {
  stopping_ = true;
}

BatchStream::Pool BatchStream::make_pool(std::int64_t epoch, std::int64_t number) const {
  const Permutation order(text_.size(), settings_.seed, static_cast<std::uint64_t>(epoch));
  const auto boundary = [&](std::int64_t i) {
    return text_.size() / pools_ * i + text_.size() % pools_ * i / pools_;
  };
  Pool pool;
  std::vector<Example> examples;
  Example example;
  for (std::int64_t i = boundary(number); i < boundary(number + 1) && !stopping_; ++i) {
    if (encode_pair(text_, order(i), encoding_, example, pool.dropped))
      examples.push_back(std::move(example));
  }
  pool.batches = batches_of(std::move(examples), settings_.batch_tokens);
  shuffle(pool.batches, settings_.seed, epoch, number);
  return pool;
}

void BatchStream::prefetch(std::int64_t epoch, std::int64_t number) {
  prefetched_ = std::async(std::launch::async, [this, epoch, number] { return make_pool(epoch, number); });
}

void BatchStream::report_dropped() const {
  const std::string reasons = description(dropped_, encoding_.max_length);
  if (!reasons.empty()) log_warning("training text: dropped of {} pairs: {}", text_.size(), reasons);
}

void BatchStream::next_pool() {
  if (++pool_ == pools_) {
    if (batches_of_pass_ == 0) {
      throw Error("'{}' has no pair to train on: {}; raise --max-length or check the text",
                  text_.source().name(), description(dropped_, encoding_.max_length));
    }
    pool_ = 0;
    batches_of_pass_ = 0;
    ++epoch_;
  }
  current_ = prefetched_.get();
  consumed_ = 0;
  batches_of_pass_ += static_cast<std::int64_t>(current_.batches.size());
  if (epoch_ == 0) {
    dropped_.too_long += current_.dropped.too_long;
    dropped_.empty += current_.dropped.empty;
    if (pool_ == pools_ - 1) report_dropped();
  }
  prefetch(pool_ == pools_ - 1 ? epoch_ + 1 : epoch_, (pool_ + 1) % pools_);
}

Batch BatchStream::next() {
  while (consumed_ == current_.batches.size()) next_pool();
  return std::move(current_.batches[consumed_++]);
}

std::int64_t BatchStream::epochs_finished() const {
  const bool complete = pool_ == pools_ - 1 && consumed_ == current_.batches.size();
  return epoch_ + (complete ? 1 : 0);
}

double BatchStream::epochs() const {
  if (pool_ < 0) return 0;
  const double of_pool = current_.batches.empty()
                             ? 1
                             : static_cast<double>(consumed_) / static_cast<double>(current_.batches.size());
  return static_cast<double>(epoch_) + (static_cast<double>(pool_) + of_pool) / static_cast<double>(pools_);
}

}  // namespace nmt
