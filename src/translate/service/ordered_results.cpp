#include "translate/service/ordered_results.h"

#include <algorithm>
#include <iterator>

#include "translate/service/request_queue.h"

namespace nmt {
namespace {

// Rows of a window, as a multiple of the rows at a time. With this many, a search takes as many steps as if
// the whole text were one window.
constexpr std::int64_t kTurns = 8;

}  // namespace

LineWindows::LineWindows(std::int64_t rows_at_a_time, std::int64_t most_lines)
    : most_rows_(kTurns * rows_at_a_time), most_lines_(most_lines) {}

std::int64_t LineWindows::window_of(const TranslationRequest& line) {
  const std::int64_t rows = estimated_rows(line);
  if (lines_ > 0 && (lines_ == most_lines_ || rows_ + rows > most_rows_)) {
    ++window_;
    rows_ = lines_ = 0;
  }
  rows_ += rows;
  ++lines_;
  return window_;
}

std::int64_t OrderedResults::expect(std::size_t lines, std::optional<double> begin,
                                    std::optional<double> end) {
  const std::lock_guard lock(mutex_);
  if (done_ == expected_) busy_since_ = Clock::now();
  const std::int64_t first = expected_, count = static_cast<std::int64_t>(lines);
  if (count > 0) chunks_.push_back({first, count, 0, begin, end});
  results_.resize(results_.size() + lines);
  expected_ += count;
  return first;
}

void OrderedResults::end(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  failure_ = std::move(failure);
  changed_.notify_all();
}

void OrderedResults::count(std::int64_t line) {
  const auto chunk = std::prev(std::ranges::upper_bound(chunks_, line, {}, &Chunk::first));
  ++chunk->done;
  for (; !chunks_.empty() && chunks_.front().done == chunks_.front().count; chunks_.pop_front())
    part_ = chunks_.front().end;
  if (!report_) return;
  std::optional<double> part = part_;
  for (const Chunk& some : chunks_) {
    if (!part || !some.begin || !some.end) {
      part = std::nullopt;
      break;
    }
    *part += (*some.end - *some.begin) * static_cast<double>(some.done) / static_cast<double>(some.count);
  }
  report_(done_, part);
}

void OrderedResults::put(std::int64_t line, TranslationResult result) {
  const std::lock_guard lock(mutex_);
  results_[static_cast<std::size_t>(line - taken_)] = std::move(result);
  if (++done_ == expected_) busy_ += Clock::now() - busy_since_;
  count(line);
  if (line == taken_) changed_.notify_all();
}

bool OrderedResults::wait_for_capacity(std::size_t lines) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || results_.size() <= lines; });
  return !stopped_;
}

void OrderedResults::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

std::vector<TranslationResult> OrderedResults::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return results_.empty() ? ended_ : results_.front().has_value(); });
  std::vector<TranslationResult> next;
  for (; !results_.empty() && results_.front(); results_.pop_front(), ++taken_)
    next.push_back(std::move(*results_.front()));
  changed_.notify_all();
  return next;
}

std::size_t OrderedResults::size() const {
  const std::lock_guard lock(mutex_);
  return results_.size();
}

}  // namespace nmt
