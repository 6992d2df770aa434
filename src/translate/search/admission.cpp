#include "translate/search/admission.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace nmt {

std::optional<std::int64_t> RowSpans::take(std::int64_t rows) {
  const auto span =
      std::ranges::find_if(free_, [rows](const auto& free) { return free.second - free.first >= rows; });
  if (span == free_.end()) return std::nullopt;
  const auto [begin, end] = *span;
  free_.erase(span);
  if (begin + rows < end) free_.emplace(begin + rows, end);
  return begin;
}

void RowSpans::give(std::int64_t begin, std::int64_t rows) {
  std::int64_t end = begin + rows;
  auto next = free_.upper_bound(begin);
  if (next != free_.end() && next->first == end) {
    end = next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->second == begin) {
      begin = previous->first;
      free_.erase(previous);
    }
  }
  free_.emplace(begin, end);
}

namespace {

/// Returns the sum of of(sentence) over all sentences.
template <class Of>
std::int64_t sum_of(std::span<const Sentence> sentences, const Of& of) {
  return std::accumulate(sentences.begin(), sentences.end(), std::int64_t{0},
                         [&](std::int64_t sum, const Sentence& sentence) { return sum + of(sentence); });
}

/// Returns the sentences that share the capacity: all but a large one.
std::span<const Sentence> sharing(std::span<const Sentence> sentences) {
  return !sentences.empty() && sentences[0].is_large ? sentences.subspan(1) : sentences;
}

/// Returns the maximum number of cache rows of a sentence whose hypotheses share nothing.
std::int64_t rows_unshared(const Sentence& sentence) {
  return sentence.strategy->width() * (sentence.steps + sentence.steps_left);
}

/// The forecast for a sentence: the number of cache rows that it occupies soon, and the number of steps in
/// each of which it takes one more.
struct Outlook {
  std::int64_t rows, steps;
};

Outlook outlook_of(const Sentence& sentence, const SearchForecast& forecast) {
  const std::int64_t length = forecast.steps(sentence.source_rows);
  const std::int64_t steps =
      std::min(std::max<std::int64_t>(length - sentence.steps, 1), sentence.steps_left);
  const auto apart =
      static_cast<std::int64_t>(std::ceil((sentence.strategy->width() - 1) * forecast.rows_apart()));
  const std::int64_t rows = std::max<std::int64_t>(sentence.held, sentence.steps + apart);
  return {std::min(rows, rows_unshared(sentence) - steps), steps};
}

}  // namespace

Admission::Admission(Next next, const Limits& limits)
    : next_(std::move(next)),
      limits_(limits),
      shared_(limits.least),
      capacity_(limits.least),
      source_rows_(limits.least.source_rows),
      forecast_(limits.first_steps) {}

std::int64_t Admission::expected_rows(std::int64_t source_rows, const SearchSettings& settings) {
  return source_rows + SearchForecast::kRowsApart * (settings.width() - 1);
}

std::int64_t Admission::most_rows(std::int64_t source_tokens, const SearchSettings& settings) {
  return settings.width() * (settings.longest_translation(source_tokens) + 1);
}

std::int64_t Admission::limit(const SearchRequest& request) const {
  const std::int64_t limit = request.longest_translation();
  return limits_.positions ? std::min(limit, *limits_.positions - 1) : limit;
}

Sentence Admission::sentence_of(const Waiting& next) const {
  const std::int64_t most_tokens = limit(next.request);
  Sentence sentence{.request = next.request,
                    .strategy = make_strategy({.settings = next.request.settings,
                                               .limit = most_tokens,
                                               .end = limits_.special_tokens.target_eos,
                                               .rules = next.request.rules,
                                               .line = next.request.line}),
                    .too_little = next.too_little,
                    .steps_left = most_tokens + 1,
                    .source_rows = static_cast<std::int32_t>(
                        limits_.special_tokens.source_rows(std::ssize(next.request.source)))};
  sentence.rows = sentence.strategy->hypotheses();
  return sentence;
}

std::int64_t Admission::expected(const Sentence& sentence) const {
  const std::int64_t rows = expected_rows(sentence.source_rows, *sentence.request.settings);
  return std::min(rows_unshared(sentence), std::max(rows, 2 * sentence.too_little));
}

std::int64_t Admission::needed(const Sentence& sentence) const {
  return sentence.held + sentence.strategy->width() * std::min(limits_.unread_steps, sentence.steps_left);
}

std::int64_t Admission::claim(const Sentence& sentence) const {
  return std::max(expected(sentence), needed(sentence));
}

std::int64_t Admission::forecast(std::span<const Sentence> sentences) const {
  const SearchForecast forecast = forecast_.with(sentences);
  std::vector<Outlook> outlooks;
  outlooks.reserve(sentences.size());
  for (const Sentence& sentence : sentences) outlooks.push_back(outlook_of(sentence, forecast));
  // The number of rows grows until a sentence is done, so that it is largest just before one of them is done.
  std::ranges::sort(outlooks, std::ranges::greater(), &Outlook::steps);
  std::int64_t rows = 0, count = 0, most = 0;
  for (const Outlook& outlook : outlooks) {
    rows += outlook.rows;
    most = std::max(most, rows + ++count * outlook.steps);
  }
  return most;
}

bool Admission::is_crowded(std::span<const Sentence> sentences) const {
  const auto claimed = sum_of(sentences, [&](const Sentence& sentence) { return claim(sentence); });
  const auto sources = sum_of(sentences, [](const Sentence& sentence) { return sentence.source_rows; });
  return 4 * std::max(claimed, forecast(sentences)) > 3 * shared_.cache_rows ||
         4 * sources > 3 * shared_.source_rows;
}

bool Admission::is_large(const Sentence& sentence) const {
  return claim(sentence) > shared_.cache_rows || sentence.source_rows > shared_.source_rows;
}

bool Admission::has_next() {
  if (!waiting_.empty()) return true;
  std::optional<SearchRequest> next = next_();
  if (next) waiting_.push_back({std::move(*next)});
  return !waiting_.empty();
}

bool Admission::can_grow() const {
  return shared_.source_rows < limits_.most.source_rows || shared_.cache_rows < limits_.most.cache_rows;
}

void Admission::send_back(std::vector<Sentence>& sentences) {
  const auto need = [this](const Sentence& sentence) { return needed(sentence); };
  while (sum_of(sharing(sentences), need) > shared_.cache_rows) {
    Sentence last = std::move(sentences.back());
    sentences.pop_back();
    const bool was_alone = sharing(sentences).empty();
    const std::int64_t too_little = was_alone ? shared_.cache_rows : last.too_little;
    wait_again(std::move(last), too_little);
  }
  const std::int64_t own_rows = capacity_.cache_rows - shared_.cache_rows;
  if (sentences.empty() || !sentences[0].is_large || needed(sentences[0]) <= own_rows) return;
  Sentence large = std::move(sentences[0]);
  sentences.erase(sentences.begin());
  end_large();
  wait_again(std::move(large), own_rows);
}

void Admission::wait_again(Sentence sentence, std::int64_t too_little) {
  source_rows_.give(sentence.source_begin, sentence.source_rows);
  waiting_.push_front({std::move(sentence.request), too_little});
}

void Admission::end_large() {
  waiting_.insert(waiting_.begin(), std::move_iterator(waiting_for_large_.begin()),
                  std::move_iterator(waiting_for_large_.end()));
  waiting_for_large_.clear();
}

void Admission::allocate_capacity_for(const Sentence& first) {
  DecoderCapacity capacity = shared_;
  if (first.is_large) {
    capacity.source_rows += first.source_rows;
    capacity.cache_rows += claim(first);
  }
  if (capacity == capacity_) return;
  capacity_ = capacity;
  source_rows_ = RowSpans(capacity.source_rows);
}

bool Admission::begin_next(std::vector<Sentence>& sentences) {
  Sentence next = sentence_of(waiting_.front());
  next.is_large = is_large(next);
  if (sentences.empty()) {
    allocate_capacity_for(next);
  } else if (next.is_large) {
    // The sentence after it is looked at in the next step, so that not all of them are prepared in one.
    if (sentences[0].is_large) {
      waiting_for_large_.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    return false;
  }
  sentences.push_back(std::move(next));
  Sentence& sentence = sentences.back();
  const std::span<const Sentence> all = sharing(sentences);
  const auto claims = [this](const Sentence& other) { return claim(other); };
  const bool has_room =
      all.size() <= 1 || (sum_of(all, claims) <= shared_.cache_rows && forecast(all) <= shared_.cache_rows);
  const auto source = has_room ? source_rows_.take(sentence.source_rows) : std::nullopt;
  if (!source) {
    sentences.pop_back();
    return false;
  }
  sentence.source_begin = static_cast<std::int32_t>(*source);
  waiting_.pop_front();
  return true;
}

std::size_t Admission::begin(std::vector<Sentence>& sentences) {
  const std::size_t before = sentences.size();
  if (is_short_ && sentences.empty()) {
    shared_ = {
        std::max(shared_.source_rows, std::min(kGrowth * shared_.source_rows, limits_.most.source_rows)),
        std::max(shared_.cache_rows, std::min(kGrowth * shared_.cache_rows, limits_.most.cache_rows))};
    is_short_ = false;
  }
  const bool is_full = is_crowded(sharing(sentences));
  if (is_full && can_grow() && has_next()) is_short_ = true;
  if (is_full || is_short_) return 0;
  while (has_next() && begin_next(sentences)) continue;
  return sentences.size() - before;
}

void Admission::leave(const Sentence& sentence) {
  source_rows_.give(sentence.source_begin, sentence.source_rows);
  if (sentence.is_large) {
    end_large();
  } else if (sentence.strategy->done()) {
    forecast_.add(sentence);
  }
}

bool Admission::cancel(std::int64_t id) {
  const auto is_it = [id](const Waiting& next) { return next.request.id == id; };
  return std::erase_if(waiting_, is_it) + std::erase_if(waiting_for_large_, is_it) > 0;
}

}  // namespace nmt
