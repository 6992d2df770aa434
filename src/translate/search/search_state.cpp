#include "translate/search/search_state.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "backend/measure/measure.h"
#include "graph/graph.h"
#include "nn/weights/inference_weights.h"
#include "translate/search/search.h"

namespace nmt {

void endless_search(const Model& model, Worker& worker, const SearchSettings& search,
                    const DecoderCapacity& capacity, const std::vector<std::int64_t>& lengths,
                    const SentenceRules& rules) {
  constexpr std::int32_t kNever = -2;
  auto length = lengths.begin();
  const auto settings = std::make_shared<const SearchSettings>(search);
  const auto shared_rules = std::make_shared<const SentenceRules>(rules);
  const auto next = [&]() -> std::optional<SearchRequest> {
    if (length == lengths.end()) return std::nullopt;
    return SearchRequest{.source = std::vector<int>(static_cast<std::size_t>(*length++ - 1)),
                         .settings = settings,
                         .rules = shared_rules};
  };
  Search endless({{&model, {.target_eos = kNever}}}, worker, capacity, next);
  while (endless.step()) endless.take();
}

TranslationMemory translation_memory(const ModelSettings& settings, const Backend& backend,
                                     const SearchSettings& search, const DecoderCapacity& capacity,
                                     std::int64_t length, const SentenceRules& rules) {
  MeasureBackend device(backend);
  const std::unique_ptr<Model> model = ModelRegistry::instance().make(settings);
  allocate_for_inference(model->parameters(), device);
  prepack(model->parameters(), device);
  const std::size_t weights = device.allocated();
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(capacity.source_rows / length, 1));
  Worker worker(device);
  endless_search(*model, worker, search, capacity, std::vector<std::int64_t>(count, length), rules);
  return {.weights = weights + device.packed(), .search = worker.arena().high_water()};
}

namespace {

// The index of hypotheses grows by this many positions, so that the steps in between have the same shapes.
constexpr std::int64_t kPositionsAtATime = 16;

std::int64_t round_up(std::int64_t x, std::int64_t step) {
  return (x + step - 1) / step * step;
}

/// Returns how many continuations a strategy sees if `of_each` are ranked for each hypothesis: all of them if
/// it looks at its hypotheses one by one, so that some hypotheses cannot crowd out others.
std::int64_t shown(const SearchStrategy& strategy, std::int64_t of_each) {
  const bool takes_best_of_all = strategy.continuations() == strategy.choices();
  return takes_best_of_all ? strategy.continuations() : strategy.hypotheses() * of_each;
}

}  // namespace

SearchState::SearchState(Ensemble ensemble, Worker& worker)
    : ensemble_(std::move(ensemble)),
      weights_(weights_of(ensemble_)),
      g_(worker),
      selection_(worker.backend()),
      choices_(g_) {}

void SearchState::reserve(const DecoderCapacity& capacity) {
  decoders_.clear();
  for (const Member& member : ensemble_) decoders_.push_back(member.model->decoder(g_, capacity));
  capacity_ = capacity;
}

void SearchState::encode(std::span<const Sentence> sentences) {
  std::vector<Example> examples;
  std::vector<std::int32_t> begins;
  for (const Sentence& sentence : sentences) {
    examples.push_back({sentence.request.id, sentence.request.source, {}});
    begins.push_back(sentence.source_begin);
  }
  for (std::size_t m = 0; m < ensemble_.size(); ++m) {
    if (!ensemble_[m].special_tokens.has_source) continue;
    decoders_[m]->encode(g_, source_input(g_, examples, ensemble_[m].special_tokens), begins);
  }
}

SearchState::Layout SearchState::lay_out(const std::vector<Sentence>& sentences) const {
  std::vector<std::int32_t> begins, rows, sources, source_rows, numbers;
  Layout layout;
  for (const Sentence& sentence : sentences) {
    begins.push_back(static_cast<std::int32_t>(layout.rows));
    rows.push_back(sentence.rows);
    sources.push_back(sentence.source_begin);
    source_rows.push_back(sentence.source_rows);
    numbers.push_back(sentence.number);
    layout.rows += sentence.rows;
    layout.longest = std::max(layout.longest, sentence.steps + 1);
    layout.choices = std::max(layout.choices, sentence.strategy->choices());
    layout.wanted = std::max(layout.wanted, sentence.strategy->most_wanted());
  }
  for (const Sentence& sentence : sentences)
    layout.continuations =
        std::max(layout.continuations, shown(*sentence.strategy, layout.choices + layout.wanted));
  const std::int64_t count = std::ssize(sentences);
  std::vector<std::vector<std::int32_t>> all = {begins, rows, sources, source_rows, numbers};
  if (all == layout_.uploaded) {
    Layout same = layout_;
    same.longest = layout.longest;
    same.continuations = layout.continuations;
    same.choices = layout.choices;
    same.wanted = layout.wanted;
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

void SearchState::make_buffers(const Layout& layout) {
  const std::int64_t positions = round_up(layout.longest, kPositionsAtATime);
  const std::int64_t count = layout.hypotheses.count, models = std::ssize(ensemble_);
  const std::int64_t ranked = layout.continuations * kContinuation;
  const Tensor& index = buffers_.hypotheses[0].index;
  if (index && index.rows() == layout.rows && index.columns() == positions &&
      buffers_.held.columns() == count && buffers_.rankings[0].columns() == ranked)
    return;
  buffers_ = {};
  for (Hypotheses& hypotheses : buffers_.hypotheses) {
    hypotheses = {.total = g_.allocate(1, layout.rows, DType::f64),
                  .token = g_.allocate(models, layout.rows, DType::i32),
                  .position = g_.allocate(1, layout.rows, DType::i32),
                  .index = g_.allocate(layout.rows, positions, DType::i32)};
  }
  buffers_.held = g_.allocate(1, count, DType::i32);
  for (int i = 0; i < g_.backend().unread_steps(); ++i)
    buffers_.rankings.push_back(g_.allocate(count, ranked, DType::f64));
}

void SearchState::extend(const Layout& layout) {
  make_buffers(layout);
  const bool first_is_taken = hypotheses_.index.raw() == buffers_.hypotheses[0].index.raw();
  ExtendHypotheses extend{.before = hypotheses_,
                          .sentences_before = layout_.hypotheses,
                          .ranking = unread_.empty() ? read_ : unread_.back(),
                          .after = buffers_.hypotheses[first_is_taken ? 1 : 0],
                          .sentences_after = layout.hypotheses,
                          .number_before = layout.number_before,
                          .starts = {},
                          .end = ensemble_[0].special_tokens.target_eos,
                          .taken = g_.allocate(1, capacity_.cache_rows, DType::u8),
                          .held = buffers_.held};
  for (const Member& member : ensemble_) extend.starts.push_back(member.special_tokens.start);
  g_.backend().run(extend);
  hypotheses_ = extend.after;
  layout_ = layout;
}

std::vector<Logits> SearchState::decode() {
  DecodingStep step{.hypotheses = {.offsets = layout_.hypotheses,
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

Best SearchState::best_tokens(std::vector<Sentence>& sentences, std::vector<Logits> logits) {
  const std::int64_t vocabulary = logits[0].weight.value.rows();
  TokenChoice choice = choices_.of(sentences, hypotheses_.position, vocabulary);
  choice.candidates = selection_.select(sentences, logits);
  const std::int64_t logits_each = logits[0].weight.value.rows();
  const std::int64_t k = std::min(layout_.choices, logits_each);
  const std::int64_t wanted = std::min(layout_.wanted, logits_each);
  if (wanted == 0) return top_k(g_, logits, weights_, k, choice);
  const Best all{g_.allocate_sums(layout_.rows, k + wanted),
                 g_.allocate(layout_.rows, k + wanted, DType::i32)};
  top_k(g_, logits, weights_, {all.values.slice_columns(0, k), all.ids.slice_columns(0, k)}, choice);
  top_k(g_, logits, weights_, {all.values.slice_columns(k, wanted), all.ids.slice_columns(k, wanted)},
        choices_.wanted(sentences, choice, vocabulary));
  return all;
}

void SearchState::rank(std::vector<Sentence>& sentences, std::vector<Logits> logits) {
  const Best best = best_tokens(sentences, std::move(logits));
  unread_.push_back(buffers_.rankings[unread_.size()]);
  g_.backend().run(RankContinuations{.values = best.values,
                                     .ids = best.ids,
                                     .total = hypotheses_.total,
                                     .sentences = layout_.hypotheses,
                                     .ranking = unread_.back()});
}

void SearchState::step(std::vector<Sentence>& sentences) {
  extend(lay_out(sentences));
  rank(sentences, decode());
}

void SearchState::choose(const std::vector<Sentence>& sentences, std::vector<Continuation>& all) {
  const std::int64_t each = continuations_each(unread_.back());
  bool is_other = false;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::vector<Continuation> chosen = sentences[i].strategy->chosen();
    std::ranges::copy(chosen, all.begin() + static_cast<std::ptrdiff_t>(i) * each);
    is_other |= !chosen.empty();
  }
  if (is_other) g_.backend().upload(unread_.back(), all.data());
}

std::vector<std::int32_t> SearchState::read(const std::vector<Sentence>& sentences, const Take& take) {
  std::vector<std::vector<Continuation>> rankings;
  std::vector<std::int32_t> held(sentences.size());
  std::vector<Transfer> transfers;  // all downloads run at the same time
  for (const Tensor& ranking : unread_) {
    auto& all = rankings.emplace_back(static_cast<std::size_t>(ranking.rows() * continuations_each(ranking)));
    transfers.push_back(g_.backend().download_later(all.data(), ranking));
  }
  transfers.push_back(g_.backend().download_later(held.data(), buffers_.held));
  for (Transfer& transfer : transfers) transfer.wait();
  for (const std::vector<Continuation>& all : rankings) {
    const auto each = static_cast<std::ptrdiff_t>(all.size() / sentences.size());
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(i) * each;
      take(i, {first,
               static_cast<std::size_t>(shown(*sentences[i].strategy, layout_.choices + layout_.wanted))});
    }
  }
  choose(sentences, rankings.back());
  read_ = unread_.back();
  unread_.clear();
  return held;
}

}  // namespace nmt
