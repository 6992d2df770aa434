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
  // As many sentences begin as could if all translations were as short as their sources.
  constexpr std::int64_t kFirstSteps = 0;
  Search endless({{&model, {.target_eos = kNever}}}, worker, capacity, next, kFirstSteps);
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
constexpr std::int64_t kPositionsAtATime = 64;

std::int64_t round_up(std::int64_t x, std::int64_t step) {
  return (x + step - 1) / step * step;
}

std::vector<std::int32_t> starts_of(const Ensemble& ensemble) {
  std::vector<std::int32_t> starts;
  for (const Member& member : ensemble) starts.push_back(member.special_tokens.start);
  return starts;
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
      selection_(g_),
      choices_(g_),
      starts_(g_.upload(starts_of(ensemble_), 1, std::ssize(ensemble_))),
      memory_(g_),
      layout_(g_) {}

void SearchState::reserve(const DecoderCapacity& capacity) {
  decoders_.clear();
  capacity_ = capacity;
  for (const Member& member : ensemble_)
    decoders_.push_back(member.model->decoder(g_, {capacity.source_rows, cache_rows()}));
  taken_ = g_.allocate(1, (cache_rows() + 31) / 32, DType::i32);
  g_.backend().zero(taken_);
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
    decoders_[m]->encode(g_, padded_source_input(g_, examples, ensemble_[m].special_tokens), begins);
  }
}

SearchState::Needs SearchState::needs_of(const std::vector<Sentence>& sentences) {
  Needs needs;
  for (const Sentence& sentence : sentences) {
    needs.longest = std::max(needs.longest, sentence.steps + 1);
    needs.choices = std::max(needs.choices, sentence.strategy->choices());
    needs.wanted = std::max(needs.wanted, sentence.strategy->most_wanted());
  }
  for (const Sentence& sentence : sentences) {
    needs.continuations =
        std::max(needs.continuations, shown(*sentence.strategy, needs.choices + needs.wanted));
  }
  return needs;
}

Hypotheses SearchState::next_hypotheses() {
  hypotheses_number_ = (hypotheses_number_ + 1) % memory_.hypotheses.size();
  HypothesisMemory& memory = memory_.hypotheses[hypotheses_number_];
  const std::int64_t rows = layout_.rows(), positions = round_up(needs_.longest, kPositionsAtATime);
  return {.total = memory.total.tensor(1, rows, DType::f64),
          .token = memory.token.tensor(std::ssize(ensemble_), rows, DType::i32),
          .position = memory.position.tensor(1, rows, DType::i32),
          .index = memory.index.tensor(rows, positions, DType::i32)};
}

SearchState::Choices SearchState::choices_of(const std::vector<Sentence>& sentences, const Tensor& position) {
  const std::int64_t vocabulary = ensemble_[0].model->target_vocabulary();
  Choices choices{.best = choices_.of(sentences, position, vocabulary)};
  if (needs_.wanted > 0) choices.wanted = choices_.wanted(sentences, choices.best, position, vocabulary);
  return choices;
}

void SearchState::extend(const Hypotheses& next) {
  held_ = memory_.held.tensor(1, layout_.hypotheses().count, DType::i32);
  const ExtendHypotheses extend{.before = hypotheses_,
                                .ranking = unread_.empty() ? read_ : unread_.back(),
                                .after = next,
                                .sentences = layout_.hypotheses(),
                                .number_before = layout_.number_before(),
                                .row_before = layout_.row_before(),
                                .starts = starts_,
                                .end = ensemble_[0].special_tokens.target_eos,
                                .taken = taken_,
                                .held = held_};
  g_.backend().run(extend);
  hypotheses_ = next;
}

std::vector<Logits> SearchState::decode() {
  DecodingStep step{.hypotheses = {.offsets = layout_.hypotheses(),
                                   .positions = hypotheses_.position,
                                   .row_keys = {},
                                   .longest_position = needs_.longest,
                                   .rows = layout_.rows()},
                    .sources = layout_.sources(),
                    .tokens = {},
                    .index = hypotheses_.index};
  std::vector<Logits> logits;
  for (std::size_t m = 0; m < decoders_.size(); ++m) {
    step.tokens = hypotheses_.token.slice_rows(static_cast<std::int64_t>(m), 1);
    logits.push_back(decoders_[m]->step(g_, step));
  }
  return logits;
}

Best SearchState::best_tokens(std::vector<Sentence>& sentences, std::vector<Logits> logits,
                              const Choices& choices) {
  TokenChoice choice = choices.best;
  choice.candidates = selection_.select(sentences, logits);
  const std::int64_t logits_each = logits[0].weight.value.rows();
  const std::int64_t k = std::min(needs_.choices, logits_each);
  const std::int64_t wanted = std::min(needs_.wanted, logits_each);
  if (wanted == 0) return top_k(g_, logits, weights_, k, choice);
  Best all{g_.allocate_sums(layout_.rows(), k + wanted), g_.allocate(layout_.rows(), k + wanted, DType::i32)};
  top_k(g_, logits, weights_, {all.values.slice_columns(0, k), all.ids.slice_columns(0, k)}, choice);
  TokenChoice among = choices.wanted.value();
  among.candidates = choice.candidates;
  top_k(g_, logits, weights_, {all.values.slice_columns(k, wanted), all.ids.slice_columns(k, wanted)}, among);
  return all;
}

void SearchState::rank(std::vector<Sentence>& sentences, std::vector<Logits> logits, const Choices& choices) {
  const Best best = best_tokens(sentences, std::move(logits), choices);
  unread_.push_back(memory_.rankings[unread_.size()].tensor(
      layout_.hypotheses().count, needs_.continuations * kContinuation, DType::f64));
  g_.backend().run(RankContinuations{.values = best.values,
                                     .ids = best.ids,
                                     .total = hypotheses_.total,
                                     .sentences = layout_.hypotheses(),
                                     .ranking = unread_.back()});
}

void SearchState::step(std::vector<Sentence>& sentences) {
  layout_.next(sentences);
  needs_ = needs_of(sentences);
  const Hypotheses next = next_hypotheses();
  // All uploads come before the first command, so that a GPU can replay the commands of a step together.
  const Choices choices = choices_of(sentences, next.position);
  extend(next);
  rank(sentences, decode(), choices);
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
  std::vector<std::int32_t> held(static_cast<std::size_t>(held_.columns()));
  std::vector<Transfer> transfers;  // all downloads run at the same time
  for (const Tensor& ranking : unread_) {
    auto& all = rankings.emplace_back(static_cast<std::size_t>(ranking.rows() * continuations_each(ranking)));
    transfers.push_back(g_.backend().download_later(all.data(), ranking));
  }
  transfers.push_back(g_.backend().download_later(held.data(), held_));
  for (Transfer& transfer : transfers) transfer.wait();
  for (const std::vector<Continuation>& all : rankings) {
    const auto each = static_cast<std::ptrdiff_t>(all.size() / held.size());
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(i) * each;
      take(i,
           {first, static_cast<std::size_t>(shown(*sentences[i].strategy, needs_.choices + needs_.wanted))});
    }
  }
  choose(sentences, rankings.back());
  read_ = unread_.back();
  unread_.clear();
  return held;
}

}  // namespace nmt
