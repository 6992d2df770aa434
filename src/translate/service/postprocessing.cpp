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

std::string Postprocessing::line_of(const std::vector<std::int32_t>& ids, const TranslationRequest& request) {
  const Vocabulary& target = request.vocabularies->target;
  if (request.prefix.empty()) return without_line_ends(target.decode(ids));
  const std::vector<int> rest = tokens_after_prefix(ids, request);
  return after_prefix(request.prefix, shown_pieces(target, rest), without_line_ends(target.decode(rest)));
}

void Postprocessing::decode(Task& task) {
  const Vocabulary& target = task.job->request.vocabularies->target;
  NBest& translations = task.job->result.translations;
  translations.reserve(task.hypotheses.size());
  for (const Hypothesis& hypothesis : task.hypotheses) {
    translations.push_back({hypothesis.score,
                            hypothesis.log_probability,
                            line_of(hypothesis.ids, task.job->request),
                            hypothesis.missing,
                            {}});
    const SearchSettings& search = *task.job->request.search;
    const std::size_t place = search.first_tokens.size();
    if (search.alternatives && place < hypothesis.ids.size()) {
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
      request.reference
          ? closest_to(*request.reference, candidates, *request.minimum_risk)
          : of_minimum_risk(candidates, request.search->sampling.has_value(), *request.minimum_risk);
  for (const Choice& choice : choices) {
    task.hypotheses.push_back(std::move(hypotheses[choice.candidate]));
    task.job->result.translations.push_back(std::move(candidates[choice.candidate]));
    task.job->result.translations.back().score = choice.utility;
  }
}

void Postprocessing::score_tokens(const TranslationRequest& request, Draft& draft) {
  const Vocabulary& target = request.vocabularies->target;
  draft.translation->tokens = scored_tokens(target, *draft.hypothesis);
  draft.translation->words = scored_words(target, *draft.hypothesis);
}

void Postprocessing::make_drafts(Task& task) {
  decode(task);
  choose(task);
  TranslationJob& job = *task.job;
  for (std::size_t i = 0; i < task.hypotheses.size(); ++i) {
    Draft& draft = task.drafts.emplace_back(Draft{&task.hypotheses[i], &job.result.translations[i]});
    if (job.request.score_tokens) score_tokens(job.request, draft);
  }
  if (task.hypotheses.empty()) return;
  // A hypothesis that was cut may be shorter than what it begins with.
  const std::int64_t tokens = std::ssize(task.hypotheses.front().ids);
  job.result.target_tokens = tokens - std::min(tokens, std::ssize(job.request.search->first_tokens));
}

void Postprocessing::begin_coverage(Task& task) const {
  const SearchSettings& search = *task.job->request.search;
  if (search.sampling || search.coverage_penalty == 0) return;
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

void Postprocessing::begin_alignment(Task& task) const {
  const TranslationJob& job = *task.job;
  if (!job.request.align && !job.request.align_words) return;
  const Vocabularies& vocabularies = *job.request.vocabularies;
  const Words source = words_of(vocabularies.source, source_of(job), job.source);
  for (std::size_t i = 0; i < task.drafts.size(); ++i) {
    Draft& draft = task.drafts[i];
    const std::vector<std::int32_t>& ids = draft.hypothesis->ids;
    if (!job.request.prefix.empty()) {
      std::vector<std::string> pieces =
          draft.pieces.empty() ? shown_pieces(vocabularies.target, ids) : draft.pieces;
      draft.pieces = with_prefix(std::move(pieces), ids, job.request);
    }
    task.pairs.push_back(
        {{std::ssize(task.pairs), job.source, ids},
         source,
         draft.pieces.empty() ? words_of(vocabularies.target, ids) : words_of_text(draft.pieces)});
    task.numbers.push_back(i);
  }
}

void Postprocessing::copy_unknown(const TranslationJob& job, Draft& draft, const AlignedPair& pair,
                                  const Alignment& alignment) const {
  const TranslationRequest& request = job.request;
  draft.pieces = with_copies(*request.vocabularies, source_of(job), pair.ids, alignment);
  const auto rest =
      draft.pieces.begin() + static_cast<std::ptrdiff_t>(tokens_of_prefix(draft.hypothesis->ids, request));
  const std::vector<std::string> after(request.prefix.empty() ? draft.pieces.begin() : rest,
                                       draft.pieces.end());
  draft.translation->text = after_prefix(request.prefix, after, text_of(after));
}

void Postprocessing::use(Task& task, const AlignedPair& pair, Alignment alignment) const {
  const TranslationRequest& request = task.job->request;
  const std::size_t number = task.numbers[task.aligned++];
  switch (task.stage) {
    case Stage::coverage:
      task.hypotheses[number].score += request.search->coverage_penalty * coverage_penalty(alignment);
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

void Postprocessing::align_slice(Worker& worker) {
  std::vector<AlignedPair> pairs;
  std::vector<Task*> of_pairs;
  std::int64_t left = batch_tokens_;
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
