#include "translate/service/postprocessing.h"

#include <algorithm>
#include <utility>

#include "translate/scoring/coverage.h"
#include "translate/service/unknown_pieces.h"

namespace nmt {

void Postprocessing::apply_coverage(Worker& worker, std::vector<FoundForJob>& found) const {
  for (FoundForJob& each : found) {
    const SearchSettings& search = *each.job->request.search;
    if (search.sampling || search.coverage_penalty == 0 || each.hypotheses.empty()) continue;
    add_coverage(*aligner_, worker, each.job->source, search, batch_tokens_, each.hypotheses);
  }
}

std::string Postprocessing::line_of(const std::vector<std::int32_t>& ids, const Vocabulary& target) {
  std::string text = target.decode(ids);
  // Pieces that spell bytes can spell the end of a line, but a line in is a line out.
  std::ranges::replace(text, '\n', ' ');
  return text;
}

void Postprocessing::decode(FoundForJob& found) {
  const Vocabulary& target = found.job->request.vocabularies->target;
  NBest& translations = found.job->result.translations;
  translations.reserve(found.hypotheses.size());
  for (const Hypothesis& hypothesis : found.hypotheses) {
    translations.push_back({hypothesis.score,
                            hypothesis.log_probability,
                            line_of(hypothesis.ids, target),
                            hypothesis.missing,
                            {}});
    const SearchSettings& search = *found.job->request.search;
    const std::size_t place = search.first_tokens.size();
    if (search.alternatives && place < hypothesis.ids.size()) {
      translations.back().alternative = {target.pieces({hypothesis.ids[place]}).front(),
                                         hypothesis.token_log_probabilities[place]};
    }
  }
}

void Postprocessing::choose(FoundForJob& found) {
  const TranslationRequest& request = found.job->request;
  if (!request.minimum_risk || found.hypotheses.empty()) return;
  NBest candidates = std::exchange(found.job->result.translations, {});
  std::vector<Hypothesis> hypotheses = std::exchange(found.hypotheses, {});
  const std::vector<Choice> choices =
      request.reference
          ? closest_to(*request.reference, candidates, *request.minimum_risk)
          : of_minimum_risk(candidates, request.search->sampling.has_value(), *request.minimum_risk);
  for (const Choice& choice : choices) {
    found.hypotheses.push_back(std::move(hypotheses[choice.candidate]));
    found.job->result.translations.push_back(std::move(candidates[choice.candidate]));
    found.job->result.translations.back().score = choice.utility;
  }
}

void Postprocessing::score_tokens(Draft& draft) {
  const Vocabulary& target = draft.job->request.vocabularies->target;
  draft.translation->tokens = scored_tokens(target, *draft.hypothesis);
  draft.translation->words = scored_words(target, *draft.hypothesis);
}

void Postprocessing::replace_unknown(Worker& worker, std::vector<Draft>& drafts) const {
  std::vector<AlignedPair> pairs;
  std::vector<Draft*> of_pairs;
  for (Draft& draft : drafts) {
    const std::vector<std::int32_t>& ids = draft.hypothesis->ids;
    const TranslationRequest& request = draft.job->request;
    if (!request.replace_unknown || std::ranges::count(ids, request.vocabularies->target.unknown()) == 0)
      continue;
    pairs.push_back({{std::ssize(pairs), draft.job->source, ids},
                     each_a_word(draft.job->source.size()),
                     each_a_word(ids.size())});
    of_pairs.push_back(&draft);
  }
  if (pairs.empty()) return;
  const std::vector<Alignment> alignments = aligner_->align(worker, pairs, batch_tokens_);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Draft& draft = *of_pairs[i];
    draft.pieces =
        with_copies(*draft.job->request.vocabularies, source_of(*draft.job), pairs[i].ids, alignments[i]);
    draft.translation->text = text_of(draft.pieces);
  }
}

void Postprocessing::align(Worker& worker, const std::vector<Draft>& drafts) const {
  std::vector<AlignedPair> pairs;
  std::vector<Translation*> translations;
  for (const Draft& draft : drafts) {
    const TranslationJob& job = *draft.job;
    if (!job.request.align && !job.request.markup) continue;
    const Vocabularies& vocabularies = *job.request.vocabularies;
    const std::vector<std::int32_t>& ids = draft.hypothesis->ids;
    pairs.push_back(
        {{std::ssize(pairs), job.source, ids},
         words_of(vocabularies.source, source_of(job), job.source),
         draft.pieces.empty() ? words_of(vocabularies.target, ids) : words_of_text(draft.pieces)});
    translations.push_back(draft.translation);
  }
  if (pairs.empty()) return;
  std::vector<Alignment> alignments = aligner_->align(worker, pairs, batch_tokens_);
  for (std::size_t i = 0; i < pairs.size(); ++i) translations[i]->alignment = std::move(alignments[i]);
}

void Postprocessing::restore_markup(const Draft& draft) {
  const TranslationRequest& request = draft.job->request;
  if (!request.markup) return;
  draft.translation->text =
      request.markup->restore(draft.translation->text, sources_of_words(draft.translation->alignment));
  if (!request.align) draft.translation->alignment = {};
}

void Postprocessing::operator()(Worker& worker, std::vector<FoundForJob>& found) const {
  if (aligner_ != nullptr) apply_coverage(worker, found);
  std::vector<Draft> drafts;
  for (FoundForJob& each : found) {
    decode(each);
    choose(each);
    for (std::size_t i = 0; i < each.hypotheses.size(); ++i)
      drafts.push_back({each.job, &each.hypotheses[i], &each.job->result.translations[i]});
  }
  for (Draft& draft : drafts) {
    if (draft.job->request.score_tokens) score_tokens(draft);
  }
  if (aligner_ == nullptr) return;
  replace_unknown(worker, drafts);
  align(worker, drafts);
  std::ranges::for_each(drafts, restore_markup);
}

}  // namespace nmt
