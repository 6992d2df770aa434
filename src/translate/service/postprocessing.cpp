#include "translate/service/postprocessing.h"

#include <algorithm>
#include <utility>

#include "data/text/white_space.h"
#include "translate/scoring/coverage.h"
#include "translate/service/unknown_pieces.h"

namespace nmt {
namespace {

constexpr std::string_view kWordStart = "\u2581";

/// A text as one line: pieces that spell bytes can spell the end of a line.
std::string without_line_ends(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// How many tokens of a hypothesis are those of the prefix. One that was cut may have fewer.
std::size_t tokens_of_prefix(const std::vector<std::int32_t>& ids, const TranslationRequest& request) {
  return std::min(request.search->first_tokens.size(), ids.size());
}

std::vector<int> tokens_after_prefix(const std::vector<std::int32_t>& ids,
                                     const TranslationRequest& request) {
  return {ids.begin() + static_cast<std::ptrdiff_t>(tokens_of_prefix(ids, request)), ids.end()};
}

/// A prefix and the text of the pieces after it.
std::string after_prefix(const std::string& prefix, const std::vector<std::string>& pieces,
                         std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  if (text.empty()) return prefix;
  const auto first = std::ranges::find_if(pieces, [](const std::string& piece) { return !piece.empty(); });
  const bool is_word = first != pieces.end() && first->starts_with(kWordStart);
  const bool has_space = without_outer_space(prefix).end() != std::string_view(prefix).end();
  return prefix + (is_word && !has_space ? " " : "") + text;
}

/// The pieces of tokens, empty where decode() shows none.
std::vector<std::string> shown_pieces(const Vocabulary& target, const std::vector<std::int32_t>& ids) {
  std::vector<std::string> pieces = target.pieces(ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (target.is_special(ids[i])) pieces[i].clear();
  }
  return pieces;
}

/// The pieces of a hypothesis, of which those of the prefix are as given.
std::vector<std::string> with_prefix(std::vector<std::string> pieces, const std::vector<std::int32_t>& ids,
                                     const TranslationRequest& request) {
  std::vector<std::string> given = request.vocabularies->target.pieces(request.prefix);
  const std::size_t count = tokens_of_prefix(ids, request);
  given.resize(count);
  std::ranges::move(given, pieces.begin());
  return pieces;
}

}  // namespace

void Postprocessing::apply_coverage(Worker& worker, std::vector<FoundForJob>& found) const {
  for (FoundForJob& each : found) {
    const SearchSettings& search = *each.job->request.search;
    if (search.sampling || search.coverage_penalty == 0 || each.hypotheses.empty()) continue;
    add_coverage(*aligner_, worker, each.job->source, search, batch_tokens_, each.hypotheses);
  }
}

std::string Postprocessing::line_of(const std::vector<std::int32_t>& ids, const TranslationRequest& request) {
  const Vocabulary& target = request.vocabularies->target;
  if (request.prefix.empty()) return without_line_ends(target.decode(ids));
  const std::vector<int> rest = tokens_after_prefix(ids, request);
  return after_prefix(request.prefix, shown_pieces(target, rest), without_line_ends(target.decode(rest)));
}

void Postprocessing::decode(FoundForJob& found) {
  const Vocabulary& target = found.job->request.vocabularies->target;
  NBest& translations = found.job->result.translations;
  translations.reserve(found.hypotheses.size());
  for (const Hypothesis& hypothesis : found.hypotheses) {
    translations.push_back({hypothesis.score,
                            hypothesis.log_probability,
                            line_of(hypothesis.ids, found.job->request),
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
    const TranslationRequest& request = draft.job->request;
    draft.pieces = with_copies(*request.vocabularies, source_of(*draft.job), pairs[i].ids, alignments[i]);
    const auto rest =
        draft.pieces.begin() + static_cast<std::ptrdiff_t>(tokens_of_prefix(draft.hypothesis->ids, request));
    const std::vector<std::string> after(request.prefix.empty() ? draft.pieces.begin() : rest,
                                         draft.pieces.end());
    draft.translation->text = after_prefix(request.prefix, after, text_of(after));
  }
}

void Postprocessing::align(Worker& worker, std::vector<Draft>& drafts) const {
  std::vector<AlignedPair> pairs;
  std::vector<Translation*> translations;
  for (Draft& draft : drafts) {
    const TranslationJob& job = *draft.job;
    if (!job.request.align) continue;
    const Vocabularies& vocabularies = *job.request.vocabularies;
    const std::vector<std::int32_t>& ids = draft.hypothesis->ids;
    if (!job.request.prefix.empty()) {
      std::vector<std::string> pieces =
          draft.pieces.empty() ? shown_pieces(vocabularies.target, ids) : draft.pieces;
      draft.pieces = with_prefix(std::move(pieces), ids, job.request);
    }
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
}

}  // namespace nmt
