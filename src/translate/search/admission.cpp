#include "translate/search/admission.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace nmt {
namespace {

// Rows of the cache that each further hypothesis is expected to see alone: what it has not in common with the
// others.
constexpr std::int64_t kRowsApart = 8;

/// The sum of what `of` gives for each sentence.
template <class Of>
std::int64_t sum_of(const std::vector<Sentence>& sentences, const Of& of) {
  return std::accumulate(sentences.begin(), sentences.end(), std::int64_t{0},
                         [&](std::int64_t sum, const Sentence& sentence) { return sum + of(sentence); });
}

/// Rows of the cache that a sentence holds at most, were no beginning shared.
std::int64_t rows_unshared(const Sentence& sentence) {
  return sentence.strategy->width() * (sentence.steps + sentence.steps_left);
}

/// What is expected of a sentence: rows of the cache that it holds soon, and one more in each of so many
/// steps.
struct Outlook {
  std::int64_t rows, steps;
};

Outlook outlook_of(const Sentence& sentence, double ratio) {
  const auto length = static_cast<std::int64_t>(std::ceil(ratio * sentence.source_rows));
  const std::int64_t steps =
      std::min(std::max<std::int64_t>(length - sentence.steps, 1), sentence.steps_left);
  const std::int64_t apart =
      (sentence.strategy->width() - 1) * std::max<std::int64_t>(kRowsApart - sentence.steps, 0);
  return {std::min(sentence.held + apart, rows_unshared(sentence) - steps), steps};
}

}  // namespace

Admission::Admission(Next next, const Limits& limits)
    : next_(std::move(next)),
      limits_(limits),
      capacity_(limits.least),
      source_rows_(limits.least.source_rows) {}

std::int64_t Admission::expected_rows(std::int64_t source_rows, const SearchSettings& settings) {
  return source_rows + kRowsApart * (settings.width() - 1);
}

std::int64_t Admission::most_rows(std::int64_t source_tokens, const SearchSettings& settings) {
  return settings.width() * (settings.longest_translation(source_tokens) + 1);
}

std::int64_t Admission::limit(const SearchRequest& request) const {
  const std::int64_t limit = request.settings->longest_translation(std::ssize(request.source));
  return limits_.positions ? std::min(limit, *limits_.positions - 1) : limit;
}

Sentence Admission::sentence_of(const Waiting& next) const {
  const std::int64_t most_tokens = limit(next.request);
  Sentence sentence{.request = next.request,
                    .strategy = make_strategy(next.request.settings, most_tokens,
                                              limits_.special_tokens.target_eos, next.request.line),
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

std::int64_t Admission::forecast(const std::vector<Sentence>& sentences) const {
  const double ratio = lengths_.with(sentences);
  std::vector<Outlook> outlooks;
  outlooks.reserve(sentences.size());
  for (const Sentence& sentence : sentences) outlooks.push_back(outlook_of(sentence, ratio));
  // Rows grow until one is done: there are the most when this one, or another, is about to be.
  std::ranges::sort(outlooks, std::ranges::greater(), &Outlook::steps);
  std::int64_t rows = 0, count = 0, most = 0;
  for (const Outlook& outlook : outlooks) {
    rows += outlook.rows;
    most = std::max(most, rows + ++count * outlook.steps);
  }
  return most;
}

bool Admission::is_crowded(const std::vector<Sentence>& sentences) const {
  const auto claimed = sum_of(sentences, [&](const Sentence& sentence) { return claim(sentence); });
  const auto sources = sum_of(sentences, [](const Sentence& sentence) { return sentence.source_rows; });
  return 4 * std::max(claimed, forecast(sentences)) > 3 * capacity_.cache_rows ||
         4 * sources > 3 * capacity_.source_rows;
}

bool Admission::has_next() {
  if (!waiting_.empty()) return true;
  std::optional<SearchRequest> next = next_();
  if (next) waiting_.push_back({std::move(*next)});
  return !waiting_.empty();
}

void Admission::send_back(std::vector<Sentence>& sentences) {
  const auto need = [this](const Sentence& sentence) { return needed(sentence); };
  while (sum_of(sentences, need) > capacity_.cache_rows) {
    Sentence last = std::move(sentences.back());
    sentences.pop_back();
    source_rows_.give(last.source_begin, last.source_rows);
    waiting_.push_front(
        {std::move(last.request), sentences.empty() ? capacity_.cache_rows : last.too_little});
  }
}

void Admission::allocate_capacity_for(const Waiting& next) {
  const Sentence alone = sentence_of(next);
  const DecoderCapacity capacity{
      .source_rows = std::max<std::int64_t>(limits_.least.source_rows, alone.source_rows),
      .cache_rows = std::max(
          {limits_.least.cache_rows, expected(alone), alone.strategy->width() * limits_.unread_steps})};
  if (capacity == capacity_) return;
  capacity_ = capacity;
  source_rows_ = RowSpans(capacity.source_rows);
}

bool Admission::begin_next(std::vector<Sentence>& sentences) {
  sentences.push_back(sentence_of(waiting_.front()));
  Sentence& sentence = sentences.back();
  const auto claims = [this](const Sentence& other) { return claim(other); };
  const bool has_room = sentences.size() == 1 || (sum_of(sentences, claims) <= capacity_.cache_rows &&
                                                  forecast(sentences) <= capacity_.cache_rows);
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
  if (is_crowded(sentences) || !has_next()) return 0;
  if (sentences.empty()) allocate_capacity_for(waiting_.front());
  while (has_next() && begin_next(sentences)) continue;
  return sentences.size() - before;
}

void Admission::leave(const Sentence& sentence) {
  source_rows_.give(sentence.source_begin, sentence.source_rows);
  if (sentence.strategy->done()) lengths_.add(sentence.source_rows, sentence.steps);
}

bool Admission::cancel(std::int64_t id) {
  return std::erase_if(waiting_, [id](const Waiting& next) { return next.request.id == id; }) > 0;
}

}  // namespace nmt
