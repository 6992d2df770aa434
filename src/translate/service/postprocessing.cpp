#include "translate/service/postprocessing.h"

#include <algorithm>
#include <utility>

#include "data/text/white_space.h"
#include "translate/scoring/alignment.h"
#include "translate/service/unknown_pieces.h"

namespace nmt {
namespace {

/// Returns the number of tokens of a hypothesis that belong to the prefix. A truncated hypothesis may have
/// fewer.
std::size_t tokens_of_prefix(const std::vector<std::int32_t>& ids, const TranslationJob& job) {
  return std::min(job.rules->first_tokens.size(), ids.size());
}

std::vector<int> tokens_after_prefix(const std::vector<std::int32_t>& ids, const TranslationJob& job) {
  return {ids.begin() + static_cast<std::ptrdiff_t>(tokens_of_prefix(ids, job)), ids.end()};
}

/// Puts the prefix, which has this number of tokens, before the text that follows. `pieces`: of the tokens
/// that follow. The tokens of the prefix are at kNowhere.
DecodedText after_prefix(const std::string& prefix, std::size_t tokens,
                         const std::vector<std::string>& pieces, const DecodedText& rest) {
  DecodedText whole{.text = prefix, .places = std::vector<std::size_t>(tokens, kNowhere)};
  const std::size_t spaces = std::min(rest.text.find_first_not_of(' '), rest.text.size());
  if (spaces < rest.text.size()) {
    const auto first = std::ranges::find_if(pieces, [](const std::string& piece) { return !piece.empty(); });
    const bool is_word = first != pieces.end() && first->starts_with(kSpaceMark);
    const bool has_space = without_outer_space(prefix).end() != std::string_view(prefix).end();
    if (is_word && !has_space) whole.text += ' ';
  }
  for (const std::size_t place : rest.places)
    whole.places.push_back(place == kNowhere ? kNowhere
                                             : whole.text.size() + place - std::min(place, spaces));
  whole.text.append(rest.text, spaces);
  return whole;
}

/// Returns the pieces of tokens; empty for tokens that decode() does not show.
std::vector<std::string> shown_pieces(const Vocabulary& target, const std::vector<std::int32_t>& ids) {
  std::vector<std::string> pieces = target.pieces(ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (target.is_special(ids[i])) pieces[i].clear();
  }
  return pieces;
}

/// Returns the text of a hypothesis as one line, because byte pieces can spell line ends.
DecodedText decoded_line(const std::vector<std::int32_t>& ids, const TranslationJob& job) {
  const TranslationRequest& request = job.request;
  const Vocabulary& target = request.vocabularies->target;
  const bool has_prefix = !request.prefix.empty();
  const std::vector<int> rest = has_prefix ? tokens_after_prefix(ids, job) : ids;
  DecodedText decoded = target.decode_with_places(rest);
  std::ranges::replace(decoded.text, '\n', ' ');
  if (!has_prefix) return decoded;
  return after_prefix(request.prefix, ids.size() - rest.size(), shown_pieces(target, rest), decoded);
}

/// Sets which constraints a translation meets.
void note_met(const TranslationJob& job, const Hypothesis& hypothesis, Translation& translation) {
  translation.missing = hypothesis.missing;
  if (!job.terms) return;
  const std::vector<bool> met = job.terms->met(job.terms->of(hypothesis.ids));
  const auto first_term = met.begin() + std::ssize(job.request.constraints);
  translation.missing = std::count(met.begin(), first_term, false);
  translation.terms = job.request.terms;
  // Terms beyond the limits of a sentence are no constraints, and not met.
  for (std::ptrdiff_t i = 0; i < met.end() - first_term; ++i)
    translation.terms[static_cast<std::size_t>(i)].is_met = first_term[i];
}

}  // namespace

std::string Postprocessing::line_of(const std::vector<std::int32_t>& ids, const TranslationJob& job) {
  return decoded_line(ids, job).text;
}

Words Postprocessing::words_of_draft(const TranslationJob& job, const Draft& draft) {
  const TranslationRequest& request = job.request;
  const std::vector<std::int32_t>& ids = draft.hypothesis->ids;
  std::vector<std::size_t> places = draft.places.empty() ? decoded_line(ids, job).places : draft.places;
  if (!request.prefix.empty()) {
    const std::vector<TextPiece> given = request.vocabularies->target.divide(request.prefix);
    const std::size_t count = std::min(tokens_of_prefix(ids, job), given.size());
    for (std::size_t i = 0; i < count; ++i) places[i] = given[i].place;
  }
  return words_at(draft.translation->text, places);
}

void Postprocessing::decode(Task& task) {
  const Vocabulary& target = task.job->request.vocabularies->target;
  NBest& translations = task.job->result.translations;
  translations.reserve(task.hypotheses.size());
  for (const Hypothesis& hypothesis : task.hypotheses) {
    translations.push_back(
        {hypothesis.score, hypothesis.log_probability, line_of(hypothesis.ids, *task.job)});
    note_met(*task.job, hypothesis, translations.back());
    const std::size_t place = task.job->rules->first_tokens.size();
    if (task.job->request.search->alternatives && place < hypothesis.ids.size()) {
      translations.back().alternative = {target.pieces({hypothesis.ids[place]}).front(),
                                         hypothesis.token_log_probabilities[place]};
    }
  }
}

void Postprocessing::choose(Task& task) {
  const TranslationRequest& request = task.job->request;
  if (!request.minimum_risk || task.hypotheses.empty()) return;
  NBest candidates = std::exchange(task.job->result.translations, {});
  std::vector<Hypothesis> hypotheses = std::exchange(task.hypotheses, {});
  const std::vector<Choice> choices =
      request.reference ? closest_to(request.text, *request.reference, candidates, *request.minimum_risk)
                        : of_minimum_risk(request.text, candidates, request.search->sampling.has_value(),
                                          *request.minimum_risk);
  for (const Choice& choice : choices) {
    task.hypotheses.push_back(std::move(hypotheses[choice.candidate]));
    task.job->result.translations.push_back(std::move(candidates[choice.candidate]));
    task.job->result.translations.back().score = choice.utility;
  }
}

void Postprocessing::score_tokens(Task& task) {
  const TranslationRequest& request = task.job->request;
  if (!request.score_tokens) return;
  for (const Draft& draft : task.drafts) {
    Translation& translation = *draft.translation;
    translation.tokens = scored_tokens(request.vocabularies->target, *draft.hypothesis);
    translation.words = scored_words(translation.text, words_of_draft(*task.job, draft), *draft.hypothesis);
  }
}

void Postprocessing::make_drafts(Task& task) {
  decode(task);
  choose(task);
  TranslationJob& job = *task.job;
  for (std::size_t i = 0; i < task.hypotheses.size(); ++i)
    task.drafts.push_back({&task.hypotheses[i], &job.result.translations[i]});
  if (task.hypotheses.empty()) return;
  // A truncated hypothesis may be shorter than its prefix.
  const std::int64_t tokens = std::ssize(task.hypotheses.front().ids);
  job.result.target_tokens = tokens - std::min(tokens, std::ssize(job.rules->first_tokens));
}

void Postprocessing::begin_coverage(Task& task) const {
  const SearchSettings& search = *task.job->request.search;
  if (search.sampling || !search.counts_coverage()) return;
  task.pairs = coverage_pairs(task.job->source, task.hypotheses);
  for (std::size_t i = 0; i < task.pairs.size(); ++i) task.numbers.push_back(i);
}

void Postprocessing::begin_copies(Task& task) const {
  const TranslationJob& job = *task.job;
  if (!job.request.replace_unknown) return;
  for (std::size_t i = 0; i < task.drafts.size(); ++i) {
    const std::vector<std::int32_t>& ids = task.drafts[i].hypothesis->ids;
    if (std::ranges::count(ids, job.request.vocabularies->target.unknown()) == 0) continue;
    task.pairs.push_back(
        {{std::ssize(task.pairs), job.source, ids}, each_a_word(job.source.size()), each_a_word(ids.size())});
    task.numbers.push_back(i);
  }
}

Words Postprocessing::words_of_source(const TranslationJob& job) const {
  const Vocabulary& vocabulary = job.request.vocabularies->source;
  if (!job.annotated) return words_of(vocabulary, source_of(job), job.source);
  std::vector<std::size_t> places;
  for (const TextPiece& piece : vocabulary.divide(source_of(job)))
    places.push_back(job.annotated->place_in_sentence(piece.place));
  places.resize(job.source.size());
  return words_at(job.request.text, places);
}

void Postprocessing::begin_alignment(Task& task) const {
  const TranslationJob& job = *task.job;
  if (!job.request.align && !job.request.align_words) return;
  const Words source = words_of_source(job);
  for (std::size_t i = 0; i < task.drafts.size(); ++i) {
    const Draft& draft = task.drafts[i];
    task.pairs.push_back(
        {{std::ssize(task.pairs), job.source, draft.hypothesis->ids}, source, words_of_draft(job, draft)});
    task.numbers.push_back(i);
  }
}

void Postprocessing::copy_unknown(const TranslationJob& job, Draft& draft, const AlignedPair& pair,
                                  const Alignment& alignment) const {
  const TranslationRequest& request = job.request;
  std::vector<std::string> pieces = with_copies(*request.vocabularies, source_of(job), pair.ids, alignment);
  DecodedText decoded;
  if (request.prefix.empty()) {
    decoded = text_of(pieces);
  } else {
    const std::size_t tokens = tokens_of_prefix(draft.hypothesis->ids, job);
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(tokens));
    decoded = after_prefix(request.prefix, tokens, pieces, text_of(pieces));
  }
  draft.translation->text = std::move(decoded.text);
  draft.places = std::move(decoded.places);
}

void Postprocessing::use(Task& task, const AlignedPair& pair, Alignment alignment) const {
  const TranslationRequest& request = task.job->request;
  const std::size_t number = task.numbers[task.aligned++];
  switch (task.stage) {
    case Stage::coverage:
      task.hypotheses[number].score += coverage_score(*request.search, alignment);
      break;
    case Stage::copies:
      copy_unknown(*task.job, task.drafts[number], pair, alignment);
      break;
    default:
      if (request.align_words) task.drafts[number].translation->sources = sources_of_words(alignment);
      if (request.align) task.drafts[number].translation->alignment = std::move(alignment);
  }
}

void Postprocessing::go_on(Task& task) const {
  while (task.stage != Stage::complete && task.aligned == task.pairs.size()) {
    const bool has_covered = task.stage == Stage::coverage && !task.pairs.empty();
    task.pairs.clear();
    task.numbers.clear();
    task.aligned = 0;
    task.stage = static_cast<Stage>(static_cast<int>(task.stage) + 1);
    if (has_covered) keep_best(*task.job->request.search, task.hypotheses);
    if (task.stage == Stage::copies) make_drafts(task);
    if (task.stage == Stage::complete) score_tokens(task);
    if (aligner_ == nullptr) continue;
    if (task.stage == Stage::coverage) begin_coverage(task);
    if (task.stage == Stage::copies) begin_copies(task);
    if (task.stage == Stage::alignment) begin_alignment(task);
  }
}

void Postprocessing::add(JobPtr job, std::vector<Hypothesis> hypotheses) {
  tasks_.push_back({.job = std::move(job), .hypotheses = std::move(hypotheses)});
}

std::vector<JobPtr> Postprocessing::take_complete() {
  std::vector<JobPtr> complete;
  for (auto task = tasks_.begin(); task != tasks_.end();) {
    go_on(*task);
    if (task->stage != Stage::complete) {
      ++task;
      continue;
    }
    complete.push_back(std::move(task->job));
    task = tasks_.erase(task);
  }
  return complete;
}

void Postprocessing::align_slice(Worker& worker, std::int64_t most_tokens) {
  std::vector<AlignedPair> pairs;
  std::vector<Task*> of_pairs;
  std::int64_t left = std::min(batch_tokens_, most_tokens);
  for (Task& task : tasks_) {
    for (std::size_t i = task.aligned; i < task.pairs.size(); ++i) {
      const Example& ids = task.pairs[i].ids;
      left -= std::max(std::ssize(ids.source), std::ssize(ids.target)) + 1;
      if (left < 0 && !pairs.empty()) break;
      pairs.push_back(std::move(task.pairs[i]));
      of_pairs.push_back(&task);
    }
    if (left <= 0) break;
  }
  if (pairs.empty()) return;
  tasks_.splice(tasks_.end(), tasks_, tasks_.begin());
  std::vector<Alignment> alignments = aligner_->align(worker, pairs, batch_tokens_);
  for (std::size_t i = 0; i < pairs.size(); ++i) use(*of_pairs[i], pairs[i], std::move(alignments[i]));
}

void Postprocessing::drop(std::uint64_t id) {
  std::erase_if(tasks_, [id](const Task& task) { return task.job->id == id; });
}

}  // namespace nmt
