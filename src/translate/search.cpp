#include "translate/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "graph/upload.h"
#include "translate/refuse_not_finite.h"

namespace nmt {
namespace {

// Rows of the cache that each further hypothesis of a beam is expected to see alone: what it has not in
// common with the others.
constexpr std::int64_t kRowsApart = 8;

// Positions by which the index of hypotheses grows: steps in between have the same shapes.
constexpr std::int64_t kPositionsAtATime = 16;

/// The sum of what `of` gives for each sentence.
template <class Sentences, class Of>
std::int64_t sum_of(const Sentences& sentences, const Of& of) {
  return std::accumulate(sentences.begin(), sentences.end(), std::int64_t{0},
                         [&](std::int64_t sum, const auto& sentence) { return sum + of(sentence); });
}

std::int64_t round_up(std::int64_t x, std::int64_t step) {
  return (x + step - 1) / step * step;
}

std::int32_t source_rows_of(const Example& example) {
  return static_cast<std::int32_t>(example.source.size()) + 1;
}

}  // namespace

std::int64_t Search::expected_rows(std::int64_t source_rows, const SearchSettings& settings) {
  return source_rows + kRowsApart * (settings.beam - 1);
}

Search::Search(Ensemble ensemble, Worker& worker, SearchSettings settings, const DecoderRoom& room, Next next)
    : ensemble_(std::move(ensemble)),
      g_(worker),
      settings_(std::move(settings)),
      next_(std::move(next)),
      least_room_(room) {
  if (const std::int64_t forbidden = std::ssize(settings_.forbidden); forbidden > 0) {
    forbidden_ = g_.upload(settings_.forbidden, 1, forbidden);
  }
  if (settings_.shortlist) selection_.emplace(worker.backend(), settings_.shortlist, continuations());
  make_room(room);
}

Search::Search(Ensemble ensemble, Worker& worker, const DecoderRoom& room, NextRequest next)
    : ensemble_(std::move(ensemble)), g_(worker), shim_(std::move(next)), least_room_(room) {
  next_ = [this, &worker]() -> std::optional<Example> {
    auto r = shim_();
    if (!r) return std::nullopt;
    if (settings_.max_length_extra == -7) {
      settings_ = *r->settings;
      if (const std::int64_t forbidden = std::ssize(settings_.forbidden); forbidden > 0) forbidden_ = g_.upload(settings_.forbidden, 1, forbidden);
      if (settings_.shortlist) selection_.emplace(worker.backend(), settings_.shortlist, continuations());
    }
    return Example{r->id, r->source, {}};
  };
  settings_.max_length_extra = -7;
  make_room(room);
}
bool Search::cancel(std::int64_t id) {
  for (auto i = sentences_.begin(); i != sentences_.end(); ++i) {
    if (i->from.example.id != id || !unread_.empty()) continue;
    source_rows_.give(i->source_begin, i->source_rows);
    sentences_.erase(i);
    return true;
  }
  return false;
}

std::int64_t Search::continuations() const {
  return 2 * std::int64_t{settings_.beam} + std::ssize(settings_.forbidden);
}

std::int64_t Search::limit(const Example& example) const {
  auto limit =
      static_cast<std::int64_t>(settings_.max_length_factor * static_cast<double>(example.source.size())) +
      settings_.max_length_extra;
  if (const auto positions = max_positions(ensemble_)) limit = std::min(limit, *positions - 1);
  return limit;
}

std::int64_t Search::expected(const Waiting& next) const {
  const std::int64_t most = settings_.beam * (limit(next.example) + 1);
  return std::min(most,
                  std::max(expected_rows(source_rows_of(next.example), settings_), 2 * next.too_little));
}

std::int64_t Search::needed(const Sentence& sentence) const {
  const std::int64_t steps = std::min<std::int64_t>(g_.backend().unread_steps(), sentence.steps_left);
  return sentence.held + settings_.beam * steps;
}

void Search::make_room(const DecoderRoom& room) {
  decoders_.clear();
  for (const Member& member : ensemble_) decoders_.push_back(member.model->decoder(g_, room));
  source_rows_ = RowSpans(room.source_rows);
  room_ = room;
}

void Search::make_room_for(const Waiting& next) {
  const std::int64_t steps = g_.backend().unread_steps();
  const DecoderRoom room{
      .source_rows = std::max<std::int64_t>(least_room_.source_rows, source_rows_of(next.example)),
      .cache_rows = std::max({least_room_.cache_rows, expected(next), settings_.beam * steps})};
  if (room != room_) make_room(room);
}

void Search::send_back() {
  Sentence last = std::move(sentences_.back());
  sentences_.pop_back();
  source_rows_.give(last.source_begin, last.source_rows);
  if (sentences_.empty()) last.from.too_little = room_.cache_rows;
  waiting_.push_front(std::move(last.from));
}

bool Search::has_next() {
  if (!waiting_.empty()) return true;
  std::optional<Example> next = next_();
  if (next) waiting_.push_back({std::move(*next)});
  return !waiting_.empty();
}

bool Search::begin(std::vector<Example>& examples, std::vector<std::int32_t>& begins) {
  Waiting& next = waiting_.front();
  const std::int64_t most_tokens = limit(next.example);
  Sentence sentence{.search = {settings_, most_tokens, ensemble_[0].marks.target_end},
                    .steps_left = most_tokens + 1,
                    .expected = expected(next),
                    .source_rows = source_rows_of(next.example),
                    .from = {}};
  const std::int64_t others = sum_of(sentences_, [this](const Sentence& other) { return claim(other); });
  if (!sentences_.empty() && others + claim(sentence) > room_.cache_rows) return false;
  const std::optional<std::int64_t> source = source_rows_.take(sentence.source_rows);
  if (!source) return false;
  sentence.source_begin = static_cast<std::int32_t>(*source);
  examples.push_back(next.example);
  begins.push_back(sentence.source_begin);
  sentence.from = std::move(next);
  sentences_.push_back(std::move(sentence));
  waiting_.pop_front();
  return true;
}

std::int64_t Search::claim(const Sentence& sentence) const {
  return std::max(sentence.expected, needed(sentence));
}

bool Search::is_crowded() const {
  const auto claimed = sum_of(sentences_, [&](const Sentence& sentence) { return claim(sentence); });
  const auto sources = sum_of(sentences_, [](const Sentence& sentence) { return sentence.source_rows; });
  return 4 * claimed > 3 * room_.cache_rows || 4 * sources > 3 * room_.source_rows;
}

void Search::begin_sentences() {
  const auto need = [&](const Sentence& sentence) { return needed(sentence); };
  while (sum_of(sentences_, need) > room_.cache_rows) send_back();
  if (is_crowded() || !has_next()) return;
  if (sentences_.empty()) make_room_for(waiting_.front());
  std::vector<Example> examples;
  std::vector<std::int32_t> begins;
  while (has_next() && begin(examples, begins)) continue;
  if (examples.empty()) return;
  for (std::size_t m = 0; m < ensemble_.size(); ++m) {
    decoders_[m]->encode(g_, source_input(g_, examples, ensemble_[m].marks), begins);
  }
}

Search::Layout Search::lay_out() const {
  std::vector<std::int32_t> begins, rows, sources, source_rows, numbers;
  Layout layout;
  for (const Sentence& sentence : sentences_) {
    begins.push_back(static_cast<std::int32_t>(layout.rows));
    rows.push_back(sentence.rows);
    sources.push_back(sentence.source_begin);
    source_rows.push_back(sentence.source_rows);
    numbers.push_back(sentence.number);
    layout.rows += sentence.rows;
    layout.longest = std::max(layout.longest, sentence.steps + 1);
  }
  const std::int64_t count = std::ssize(sentences_);
  std::vector<std::vector<std::int32_t>> all = {begins, rows, sources, source_rows, numbers};
  if (all == layout_.uploaded) {
    Layout same = layout_;
    same.longest = layout.longest;
    return same;
  }
  Upload upload(g_, 5, 5 * count);
  layout.hypotheses = {upload.add(begins), upload.add(rows), count, std::ranges::max(rows)};
  layout.sources = {upload.add(sources), upload.add(source_rows), count, std::ranges::max(source_rows)};
  layout.number_before = upload.add(numbers);
  upload.send();
  layout.uploaded = std::move(all);
  return layout;
}

void Search::make_rooms(const Layout& layout) {
  const std::int64_t positions = round_up(layout.longest, kPositionsAtATime);
  const std::int64_t count = layout.hypotheses.count, models = std::ssize(ensemble_);
  const Tensor& index = rooms_.hypotheses[0].index;
  if (index && index.rows() == layout.rows && index.columns() == positions && rooms_.held.columns() == count)
    return;
  rooms_ = {};
  for (Hypotheses& hypotheses : rooms_.hypotheses) {
    hypotheses = {.total = g_.allocate(1, layout.rows, DType::f64),
                  .token = g_.allocate(models, layout.rows, DType::i32),
                  .position = g_.allocate(1, layout.rows, DType::i32),
                  .index = g_.allocate(layout.rows, positions, DType::i32)};
  }
  rooms_.held = g_.allocate(1, count, DType::i32);
  for (int i = 0; i < g_.backend().unread_steps(); ++i)
    rooms_.rankings.push_back(g_.allocate(count, 2 * settings_.beam * kContinuation, DType::f64));
}

void Search::extend(const Layout& layout) {
  make_rooms(layout);
  const bool first_is_taken = hypotheses_.index.raw() == rooms_.hypotheses[0].index.raw();
  ExtendHypotheses extend{.before = hypotheses_,
                          .sentences_before = layout_.hypotheses,
                          .ranking = unread_.empty() ? read_ : unread_.back(),
                          .after = rooms_.hypotheses[first_is_taken ? 1 : 0],
                          .sentences_after = layout.hypotheses,
                          .number_before = layout.number_before,
                          .starts = {},
                          .end = ensemble_[0].marks.target_end,
                          .taken = g_.allocate(1, room_.cache_rows, DType::u8),
                          .held = rooms_.held};
  for (const Member& member : ensemble_) extend.starts.push_back(member.marks.start);
  g_.backend().run(extend);
  hypotheses_ = extend.after;
  layout_ = layout;
}

std::vector<Logits> Search::decode() {
  DecodingStep step{.hypotheses = {.segments = layout_.hypotheses,
                                   .positions = hypotheses_.position,
                                   .row_keys = {},
                                   .longest_position = layout_.longest,
                                   .rows = layout_.rows},
                    .sources = layout_.sources,
                    .tokens = {},
                    .index = hypotheses_.index};
  std::vector<Logits> logits;
  for (std::size_t m = 0; m < decoders_.size(); ++m) {
    step.tokens = hypotheses_.token.slice_rows(static_cast<std::int64_t>(m), 1);
    logits.push_back(decoders_[m]->step(g_, step));
  }
  return logits;
}

Candidates Search::shorten(std::vector<Logits>& logits) {
  if (!selection_) return {};
  if (std::ranges::any_of(sentences_, [](const Sentence& sentence) { return sentence.list < 0; })) {
    std::vector<const std::vector<int>*> sources;
    for (Sentence& sentence : sentences_) {
      sentence.list = static_cast<std::int32_t>(sources.size());
      sources.push_back(&sentence.from.example.source);
    }
    selection_->choose(sources);
  }
  std::vector<std::int32_t> lists;
  for (const Sentence& sentence : sentences_)
    lists.insert(lists.end(), static_cast<std::size_t>(sentence.rows), sentence.list);
  logits = selection_->of(logits);
  return selection_->candidates(lists);
}

void Search::rank(std::vector<Logits> logits) {
  const std::int64_t most = std::min(continuations(), logits[0].weight.value.rows());
  const Candidates candidates = shorten(logits);
  const Best best = top_k(g_, logits, most, candidates);
  unread_.push_back(rooms_.rankings[unread_.size()]);
  g_.backend().run(RankContinuations{.values = best.values,
                                     .ids = best.ids,
                                     .total = hypotheses_.total,
                                     .sentences = layout_.hypotheses,
                                     .forbidden = forbidden_,
                                     .ranking = unread_.back()});
}

void Search::read() {
  for (const Tensor& ranking : unread_) {
    const std::int64_t each = ranking.columns() / kContinuation;
    std::vector<Continuation> all(static_cast<std::size_t>(ranking.rows() * each));
    g_.backend().download(all.data(), ranking);
    if (std::ranges::any_of(all, [](const Continuation& c) { return std::isnan(c.total); })) refuse_model();
    auto next = all.begin();
    for (Sentence& sentence : sentences_) {
      if (!sentence.search.done()) sentence.search.advance({next, next + each});
      sentence.rows = static_cast<std::int32_t>(sentence.search.live().size());
      next += each;
    }
  }
  read_ = unread_.back();
  unread_.clear();
  std::vector<std::int32_t> held(sentences_.size());
  g_.backend().download(held.data(), rooms_.held);
  for (std::size_t i = 0; i < sentences_.size(); ++i) sentences_[i].held = held[i];
}

void Search::find() {
  for (Sentence& sentence : sentences_) {
    if (!sentence.search.done()) continue;
    found_.push_back({sentence.from.example.id, sentence.search.results()});
    if (found_.back().hypotheses.empty()) refuse_model();
    source_rows_.give(sentence.source_begin, sentence.source_rows);
  }
  std::erase_if(sentences_, [](const Sentence& sentence) { return sentence.search.done(); });
}

bool Search::step() {
  if (unread_.empty()) begin_sentences();
  if (sentences_.empty()) return false;
  extend(lay_out());
  rank(decode());
  bool due = std::ssize(unread_) == g_.backend().unread_steps();
  for (std::size_t i = 0; i < sentences_.size(); ++i) {
    Sentence& sentence = sentences_[i];
    sentence.number = static_cast<std::int32_t>(i);
    sentence.rows = settings_.beam;
    ++sentence.steps;
    due |= --sentence.steps_left == 0;
  }
  if (due) {
    read();
    find();
  }
  return true;
}

std::vector<std::vector<Hypothesis>> search(const Ensemble& ensemble, Worker& worker,
                                            const std::vector<Example>& examples,
                                            const SearchSettings& settings,
                                            const std::function<void()>& before_step) {
  DecoderRoom room;
  for (const Example& example : examples) {
    room.source_rows += source_rows_of(example);
    room.cache_rows += 2 * Search::expected_rows(source_rows_of(example), settings);
  }
  std::size_t begun = 0;
  Search search(ensemble, worker, settings, room, [&]() -> std::optional<Example> {
    if (begun == examples.size()) return std::nullopt;
    const std::size_t number = begun++;
    return Example{static_cast<std::int64_t>(number), examples[number].source, {}};
  });
  std::vector<std::vector<Hypothesis>> results(examples.size());
  for (before_step(); search.step(); before_step()) {
    for (Search::Found& found : search.take()) {
      results[static_cast<std::size_t>(found.id)] = std::move(found.hypotheses);
    }
  }
  return results;
}

}  // namespace nmt
