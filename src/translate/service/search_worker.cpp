#include "translate/service/search_worker.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <string_view>
#include <utility>

#include "data/vocabulary/term_symbols.h"
#include "translate/service/source_context.h"
#include "translate/service/unknown_pieces.h"

namespace nmt {
namespace {

// Interactive requests get this many times the time of background requests.
constexpr int kInteractiveTimes = 4;
// The rows of a round of the background search (SearchWorker::limit_rows), as parts of the tokens of a batch:
// usually not more than a step of its hypotheses has, and fewer for a while after an interactive request.
constexpr std::int64_t kPartOfBatch = 4, kShortPartOfBatch = 16;
// The tokens for which a search has memory before it is known whether there are more.
constexpr std::int64_t kFirstTokens = 16'384;

/// Returns the capacity with which a search begins whose capacity may grow to `most`.
DecoderCapacity first_capacity(const DecoderCapacity& most) {
  const std::int64_t tokens = most.source_rows + most.cache_rows;
  if (tokens <= kFirstTokens) return most;
  const std::int64_t source_rows = most.source_rows * kFirstTokens / tokens;
  return {source_rows, kFirstTokens - source_rows};
}

}  // namespace

PrioritizedSearches::PrioritizedSearches(const SearchParts& parts, RequestQueue& queue)
    : before_step_(parts.settings.before_step),
      batch_tokens_(parts.settings.batch_tokens),
      queue_(queue),
      interactive_(parts, queue),
      background_(parts, queue) {}

void PrioritizedSearches::run(Worker& worker, const Next& next, const Done& done) {
  for (bool goes_on = true; goes_on;) {
    before_step_();
    if (queue_.is_interrupted()) return;
    const auto begin = Clock::now();
    const bool is_interactive = interactive_.work(
        worker, [&] { return next(Priority::interactive); }, done);
    if (is_interactive) owed_ += (Clock::now() - begin) / kInteractiveTimes;
    goes_on = work_in_background(worker, next, done, !is_interactive) || is_interactive;
  }
  background_.rest();
}

bool PrioritizedSearches::work_in_background(Worker& worker, const Next& next, const Done& done,
                                             bool is_alone) {
  if (!background_.has_search() && queue_.waiting_rows(Priority::background) == 0) {
    owed_ = Clock::duration::zero();
    return false;
  }
  if (!is_alone && owed_ < Clock::duration::zero()) return true;
  const auto begin = Clock::now();
  const bool is_short = !is_alone || queue_.has_recent_interactive();
  background_.limit_rows(batch_tokens_ / (is_short ? kShortPartOfBatch : kPartOfBatch));
  const bool works = background_.work(
      worker, [&] { return next(Priority::background); }, done);
  // The interactive requests that come next first get their share for the time of this step.
  const Clock::duration before = is_alone ? Clock::duration::zero() : owed_;
  owed_ = works ? before - (Clock::now() - begin) : Clock::duration::zero();
  return works;
}

std::vector<JobPtr> PrioritizedSearches::take_back_jobs() {
  std::vector<JobPtr> jobs = interactive_.take_back_jobs();
  std::ranges::move(background_.take_back_jobs(), std::back_inserter(jobs));
  return jobs;
}

void PrioritizedSearches::rest() {
  interactive_.rest();
  background_.rest();
}

bool SearchWorker::work(Worker& worker, const Next& next, const Done& done) {
  next_ = &next;
  done_ = &done;
  rows_to_begin_ = std::max<std::int64_t>(rows_at_a_time_, 1);
  if (!search_) {
    const DecoderCapacity most = translation_capacity(parts_.settings);
    search_ = std::make_unique<Search>(
        parts_.ensemble, worker, first_capacity(most), [this] { return begin(); }, kUsualRows, most);
  }
  const auto begin = Clock::now();
  const bool searches = search_->step();
  let_go_of_cancelled();
  take_found();
  deliver();
  tell_progress();
  searched_ += Clock::now() - begin;
  return align_results(worker, searches) || searches;
}

void SearchWorker::encode(TranslationJob& job) {
  annotate(job);
  // Places of annotations count the bytes of the text.
  if (job.request.replace_unknown && !job.annotated)
    job.request.text = without_unknown_marks(job.request.vocabularies->source, std::move(job.request.text));
  const std::string_view text = parts_.length_limit.beginning_of(text_of(job));
  Example example{.id = 0, .source = job.request.vocabularies->source.encode(text), .target = {}};
  parts_.input_check.note(job.request.vocabularies->source, text, example.source);
  job.result.truncated_from = parts_.length_limit.truncate(example, text.size() < job.request.text.size());
  if (job.result.truncated_from && job.request.too_long == TooLong::refuse)
    std::rethrow_exception(
        parts_.length_limit.refusal(*std::exchange(job.result.truncated_from, std::nullopt)));
  if (job.result.truncated_from) drop_terms_of_rest(job, text);
  job.source = std::move(example.source);
  job.context = source_context(job.request, job.source, parts_.length_limit);
  job.rules = rules_.of(job.request);
  job.terms = rules_.with_terms(job.request);
  job.requires_terms = false;
  job.without_terms.clear();
  job.result.source_tokens = std::ssize(job.source);
}

void SearchWorker::annotate(TranslationJob& job) const {
  const TranslationRequest& request = job.request;
  job.annotated.reset();
  if (request.annotations.empty()) return;
  const Vocabulary& source = request.vocabularies->source;
  try {
    check_term_symbols(source);
  } catch (const UsageError& error) {
    throw SentenceError("`glossary_by` annotation: {}", error.what());
  }
  AnnotatedSource annotated(request.text, request.annotations);
  const bool fits = parts_.length_limit.beginning_of(annotated.text()).size() == annotated.text().size() &&
                    std::ssize(source.encode(annotated.text())) <= parts_.length_limit.most();
  if (fits) job.annotated = std::move(annotated);
}

void SearchWorker::drop_terms_of_rest(TranslationJob& job, std::string_view text) const {
  if (job.request.terms.empty()) return;
  const std::vector<TextPiece> pieces = job.request.vocabularies->source.divide(text);
  const auto most = static_cast<std::size_t>(parts_.length_limit.most());
  if (most < pieces.size()) text = text.substr(0, pieces[most].place);
  std::erase_if(job.request.terms,
                [text](const FoundTerm& term) { return text.find(term.source) == std::string_view::npos; });
}

SearchRequest SearchWorker::search_request(const TranslationJob& job) {
  const TranslationRequest& request = job.request;
  const bool is_of_terms = job.requires_terms && request.search_of_terms;
  std::vector<int> source = job.context.tokens;
  source.insert(source.end(), job.source.begin(), job.source.end());
  return {.id = static_cast<std::int64_t>(job.id),
          .source = std::move(source),
          .settings = is_of_terms ? request.search_of_terms : request.search,
          .line = request.line,
          .rules = job.rules};
}

bool SearchWorker::lacks_terms(const TranslationJob& job, const std::vector<Hypothesis>& hypotheses) {
  const bool are_constraints = job.request.search->glossary_by == GlossaryBy::constraints;
  if (!job.terms || !are_constraints || job.requires_terms) return false;
  return std::ranges::any_of(hypotheses, [&](const Hypothesis& hypothesis) {
    return job.terms->missing(job.terms->of(hypothesis.ids)) > job.terms->impossible();
  });
}

std::int64_t SearchWorker::lacking(const TranslationJob& job, const std::vector<Hypothesis>& hypotheses) {
  std::int64_t lacking = 0;
  for (const Hypothesis& hypothesis : hypotheses)
    lacking += job.terms->missing(job.terms->of(hypothesis.ids));
  return lacking;
}

std::optional<Hypothesis> SearchWorker::without_context(const TranslationJob& job,
                                                        const Hypothesis& hypothesis) {
  if (job.context.sentences == 0) return hypothesis;
  return of_last_sentence(hypothesis, job.context.sentences, separator_of(job.request.vocabularies->target));
}

bool SearchWorker::leave_out_context(const TranslationJob& job, std::vector<Hypothesis>& hypotheses) {
  if (job.context.sentences == 0) return true;
  std::vector<Hypothesis> of_sentence;
  for (const Hypothesis& hypothesis : hypotheses) {
    std::optional<Hypothesis> last = without_context(job, hypothesis);
    const auto is_same = [&](const Hypothesis& other) { return other.ids == last->ids; };
    if (last && std::ranges::none_of(of_sentence, is_same)) of_sentence.push_back(std::move(*last));
  }
  hypotheses = std::move(of_sentence);
  return !hypotheses.empty();
}

void SearchWorker::search_again(const JobPtr& job, std::vector<Hypothesis> hypotheses) {
  job->context = {};  // the terms are those of the sentence alone
  job->without_terms = std::move(hypotheses);
  SentenceRules rules = *job->rules;
  rules.constraints = job->terms;
  job->rules = std::make_shared<const SentenceRules>(std::move(rules));
  job->requires_terms = true;
  again_.push_back(job);
}

void SearchWorker::keep_better(TranslationJob& job, std::vector<Hypothesis>& with_terms) {
  std::vector<Hypothesis> before = std::exchange(job.without_terms, {});
  if (lacking(job, with_terms) >= lacking(job, before)) with_terms = std::move(before);
}

std::optional<SearchRequest> SearchWorker::begin() {
  if (!again_.empty()) {
    const JobPtr job = std::move(again_.front());
    again_.pop_front();
    return search_request(*job);
  }
  while (rows_to_begin_ > 0) {
    const JobPtr job = (*next_)();
    if (!job) break;
    under_way_.emplace(job->id, job);  // before memory can run out
    held_rows_ += job->rows;
    try {
      encode(*job);
    } catch (const SentenceError&) {
      job->result.failure = std::current_exception();
    }
    rows_to_begin_ -= std::ssize(job->source) + 1;
    if (!job->source.empty() && !job->result.failure) {
      return search_request(*job);
    }
    if (!job->result.failure) {
      job->result.translations = NBest(1, {.missing = std::ssize(job->request.constraints)});
    }
    leave(job);
    (*done_)(job);
  }
  return std::nullopt;
}

void SearchWorker::leave(const JobPtr& job) {
  held_rows_ -= job->rows;
  under_way_.erase(job->id);
}

void SearchWorker::let_go_of_cancelled() {
  const std::int64_t cancellations = queue_.cancellations();  // read once, because other threads increase it
  if (std::exchange(cancellations_, cancellations) == cancellations) return;
  std::vector<JobPtr> unwanted;
  for (const auto& [id, job] : under_way_) {
    if (queue_.is_cancelled(id)) unwanted.push_back(job);
  }
  for (const JobPtr& job : unwanted) {
    search_->cancel(static_cast<std::int64_t>(job->id));
    std::erase(again_, job);
    postprocessing_.drop(job->id);
    leave(job);
    (*done_)(job);
  }
}

void SearchWorker::tell_progress() const {
  for (const auto& [id, job] : under_way_) {
    if (!job->request.on_progress) continue;
    std::optional<Hypothesis> best = search_->best_so_far(static_cast<std::int64_t>(id));
    if (best) best = without_context(*job, *best);
    if (!best || best->ids == job->told) continue;
    job->told = std::move(best->ids);
    job->request.on_progress(Postprocessing::line_of(job->told, *job));
  }
}

void SearchWorker::take_found() {
  for (Search::Found& sentence : search_->take()) {
    const auto job = under_way_.find(static_cast<std::uint64_t>(sentence.id));
    if (job == under_way_.end()) continue;  // cancelled
    if (!sentence.failure && !leave_out_context(*job->second, sentence.hypotheses)) {
      job->second->context = {};
      again_.push_back(job->second);
      continue;
    }
    if (lacks_terms(*job->second, sentence.hypotheses)) {
      search_again(job->second, std::move(sentence.hypotheses));
      continue;
    }
    if (job->second->requires_terms && !sentence.failure) keep_better(*job->second, sentence.hypotheses);
    job->second->result.failure = sentence.failure;
    postprocessing_.add(job->second, std::move(sentence.hypotheses));
  }
}

void SearchWorker::deliver() {
  for (const JobPtr& job : postprocessing_.take_complete()) {
    leave(job);
    (*done_)(job);
  }
}

bool SearchWorker::align_results(Worker& worker, bool searches) {
  if (!postprocessing_.is_pending()) {
    searched_ = aligned_ = {};
    return false;
  }
  if (searches && aligned_ > searched_) return true;
  const auto begin = Clock::now();
  postprocessing_.align_slice(worker, rows_at_a_time_);
  deliver();
  aligned_ += Clock::now() - begin;
  return true;
}

std::vector<JobPtr> SearchWorker::take_back_jobs() {
  search_.reset();
  postprocessing_.clear();
  std::vector<JobPtr> jobs;
  for (auto& [id, job] : under_way_) {
    job->result = {};
    jobs.push_back(std::move(job));
  }
  under_way_.clear();
  again_.clear();
  held_rows_ = 0;
  return jobs;
}

}  // namespace nmt
