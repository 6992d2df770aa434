#include "translate/search/search.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>

#include "translate/search/sentence_rules.h"

namespace nmt {
namespace {

// The number of cache rows that a few sentences may take, however short their sources are.
constexpr std::int64_t kRowsOfFew = 2048;

bool leaves(const Sentence& sentence) {
  return sentence.strategy->done() || sentence.failure || sentence.is_cancelled;
}

void reverse(Hypothesis& hypothesis) {
  std::ranges::reverse(hypothesis.ids);
  const auto end = hypothesis.token_log_probabilities.begin() + std::ssize(hypothesis.ids);
  std::reverse(hypothesis.token_log_probabilities.begin(), end);  // EOS stays the last
}

}  // namespace

Search::Search(const Ensemble& ensemble, Worker& worker, const DecoderCapacity& capacity, Next next,
               std::int64_t first_steps, const DecoderCapacity& most)
    : state_(ensemble, worker),
      admission_(std::move(next), {.least = capacity,
                                   .most = most,
                                   .unread_steps = worker.backend().unread_steps(),
                                   .positions = max_positions(ensemble),
                                   .first_steps = first_steps,
                                   .special_tokens = ensemble[0].special_tokens}),
      is_right_to_left_(ensemble[0].special_tokens.target_reversed) {
  state_.reserve(capacity);
}

void Search::begin_sentences() {
  admission_.send_back(sentences_);
  const std::size_t begun = admission_.begin(sentences_);
  if (begun == 0) return;
  if (admission_.capacity() != state_.capacity()) state_.reserve(admission_.capacity());
  state_.encode(std::span(sentences_).last(begun));
}

void Search::advance(Sentence& sentence, std::span<const Continuation> ranking) {
  if (leaves(sentence)) return;
  if (std::ranges::any_of(ranking, [](const Continuation& c) { return std::isnan(c.total); }))
    sentence.failure = std::make_exception_ptr(not_finite());
  else
    sentence.strategy->advance(ranking);
  sentence.rows = sentence.strategy->hypotheses();
}

void Search::read() {
  const std::vector<std::int32_t> held = state_.read(
      sentences_,
      [this](std::size_t i, std::span<const Continuation> ranking) { advance(sentences_[i], ranking); });
  for (std::size_t i = 0; i < sentences_.size(); ++i) sentences_[i].held = held[i];
}

std::vector<Hypothesis> Search::results(const Sentence& sentence) const {
  std::vector<Hypothesis> results = sentence.strategy->results();
  if (is_right_to_left_) std::ranges::for_each(results, reverse);
  return results;
}

void Search::find() {
  for (const Sentence& sentence : sentences_) {
    if (!leaves(sentence)) continue;
    admission_.leave(sentence);
    if (sentence.is_cancelled) continue;
    Found found{.id = sentence.request.id, .hypotheses = {}, .failure = sentence.failure};
    if (!found.failure) found.hypotheses = results(sentence);
    if (found.hypotheses.empty()) found.failure = std::make_exception_ptr(not_finite());
    found_.push_back(std::move(found));
  }
  std::erase_if(sentences_, leaves);
}

bool Search::step() {
  if (state_.unread() == 0) begin_sentences();
  if (sentences_.empty()) return false;
  state_.step(sentences_);
  bool is_due = state_.is_full();
  for (std::size_t i = 0; i < sentences_.size(); ++i) {
    Sentence& sentence = sentences_[i];
    sentence.number = static_cast<std::int32_t>(i);
    sentence.rows = sentence.strategy->width();
    ++sentence.steps;
    is_due |= --sentence.steps_left == 0 || sentence.strategy->is_read_at_every_step();
  }
  if (is_due) {
    read();
    find();
  }
  return true;
}

bool Search::cancel(std::int64_t id) {
  const auto sentence = std::ranges::find_if(
      sentences_, [id](const Sentence& other) { return other.request.id == id && !other.is_cancelled; });
  if (sentence == sentences_.end()) return admission_.cancel(id);
  sentence->is_cancelled = true;
  if (state_.unread() == 0) find();
  return true;
}

std::size_t Search::size() const {
  return static_cast<std::size_t>(
      std::ranges::count(sentences_, false, [](const Sentence& sentence) { return sentence.is_cancelled; }));
}

std::optional<Hypothesis> Search::best_so_far(std::int64_t id) const {
  const auto sentence =
      std::ranges::find(sentences_, id, [](const Sentence& other) { return other.request.id; });
  if (sentence == sentences_.end() || leaves(*sentence)) return std::nullopt;
  std::vector<Hypothesis> all = results(*sentence);
  if (all.empty()) return std::nullopt;
  return std::move(all.front());
}

std::vector<std::vector<Hypothesis>> search(const Ensemble& ensemble, Worker& worker,
                                            const std::vector<Example>& examples,
                                            const SearchSettings& settings, const SentenceRules& rules,
                                            const std::function<void()>& before_step) {
  DecoderCapacity capacity;
  std::int64_t most = 0;
  for (const Example& example : examples) {
    const std::int64_t tokens = std::ssize(example.source),
                       rows = ensemble[0].special_tokens.source_rows(tokens);
    capacity.source_rows += rows;
    capacity.cache_rows += 2 * Admission::expected_rows(rows, settings);
    most += Admission::most_rows(tokens, settings);
  }
  capacity.cache_rows = std::max(capacity.cache_rows, std::min(most, kRowsOfFew));
  const auto shared_settings = std::make_shared<const SearchSettings>(settings);
  const auto shared_rules = std::make_shared<const SentenceRules>(rules);
  std::size_t begun = 0;
  Search search(ensemble, worker, capacity, [&]() -> std::optional<SearchRequest> {
    if (begun == examples.size()) return std::nullopt;
    const std::size_t number = begun++;
    const auto line = static_cast<std::int64_t>(number);
    return SearchRequest{line, examples[number].source, shared_settings, line, shared_rules};
  });
  std::vector<std::vector<Hypothesis>> results(examples.size());
  for (before_step(); search.step(); before_step()) {
    for (Search::Found& found : search.take()) {
      if (found.failure) std::rethrow_exception(found.failure);
      results[static_cast<std::size_t>(found.id)] = std::move(found.hypotheses);
    }
  }
  return results;
}

}  // namespace nmt
