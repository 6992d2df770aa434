// The search of one worker over a stream of requests.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "nn/saved/saved_model.h"
#include "tensor/workers.h"
#include "translate/scoring/alignment.h"
#include "translate/search/length_limit.h"
#include "translate/search/search.h"
#include "translate/service/input_check.h"
#include "translate/service/postprocessing.h"
#include "translate/service/request_queue.h"
#include "translate/service/translation_request.h"
#include "translate/service/translation_settings.h"

namespace nmt {

/// The data that all workers of a service share. It outlives them.
struct SearchParts {
  const TranslationSettings& settings;
  const Ensemble& ensemble;
  const LengthLimit& length_limit;
  InputCheck& input_check;
  const Aligner* aligner;  // nullptr: no alignments
};

/// Encodes texts, searches, and converts the results to text, with one long-lived Search on one worker.
class SearchWorker {
 public:
  /// Returns the next request, or nothing if there is none at present.
  using Next = std::function<JobPtr()>;
  /// Called with each request whose result is complete.
  using Done = std::function<void(const JobPtr&)>;

  SearchWorker(const SearchParts& parts, RequestQueue& queue)
      : parts_(parts),
        rules_(parts.length_limit, parts.ensemble[0].special_tokens.target_reversed),
        postprocessing_(parts.length_limit, parts.aligner, parts.settings.batch_tokens),
        queue_(queue) {}

  /// Limits what one call of work() does besides a step of the search: the source rows that begin, and the
  /// tokens that are aligned. One sentence may have more.
  void limit_rows(std::int64_t rows) { rows_at_a_time_ = rows; }

  /// Takes requests that fit, and makes one step of the search. Then aligns a slice of results, unless
  /// alignments have had more time than the steps of the current search. Returns whether there was anything
  /// to do. A request for which the model computes NaN or infinity fails. Throws std::bad_alloc if there is
  /// not enough memory; requests in progress are then kept.
  bool work(Worker& worker, const Next& next, const Done& done);
  /// Whether it has allocated the memory of a search.
  bool has_search() const { return search_ != nullptr; }

  /// The rows (TranslationJob::rows) of requests in progress.
  std::int64_t held_rows() const { return held_rows_; }
  /// Removes and returns the requests in progress, in any order, and frees the memory of the search.
  std::vector<JobPtr> take_back_jobs();
  /// Frees the memory of the search, which must have no requests in progress.
  void rest() { search_.reset(); }

 private:
  using Clock = std::chrono::steady_clock;

  /// Throws SentenceError for texts that cannot be searched for.
  void encode(TranslationJob& job);
  /// Annotates the text of a job if its request says so, unless it would become too long. Throws
  /// SentenceError if the vocabulary has no symbols for that.
  void annotate(TranslationJob& job) const;
  /// Removes the terms of a truncated sentence that only the rest of it has. `text` has been encoded.
  void drop_terms_of_rest(TranslationJob& job, std::string_view text) const;
  /// Returns the next request that has tokens, encoded.
  std::optional<SearchRequest> begin();
  static SearchRequest search_request(const TranslationJob& job);
  /// Whether hypotheses of the search without terms lack terms that a search can meet.
  static bool lacks_terms(const TranslationJob& job, const std::vector<Hypothesis>& hypotheses);
  /// Returns how many constraints and terms all hypotheses together do not meet.
  static std::int64_t lacking(const TranslationJob& job, const std::vector<Hypothesis>& hypotheses);
  /// Returns the part of a hypothesis that translates the sentence of the job; nothing if it has other
  /// sentences than the source.
  static std::optional<Hypothesis> without_context(const TranslationJob& job, const Hypothesis& hypothesis);
  /// Reduces hypotheses to the sentence of the job, without its context. Returns false if none is left,
  /// because the sentences of no hypothesis are those of the source.
  static bool leave_out_context(const TranslationJob& job, std::vector<Hypothesis>& hypotheses);
  /// Lets a job be searched again, with its terms as constraints, after a search that found `hypotheses`.
  void search_again(const JobPtr& job, std::vector<Hypothesis> hypotheses);
  /// Replaces the hypotheses of the search with terms by those of the one without if they lack as few.
  static void keep_better(TranslationJob& job, std::vector<Hypothesis>& with_terms);
  void let_go_of_cancelled();
  /// Reports the best translations so far, if requests ask for it.
  void tell_progress() const;
  /// Makes results of the hypotheses that the search has found, without alignments.
  void take_found();
  /// Delivers complete results.
  void deliver();
  /// Aligns results, unless alignments have had more time than the steps of the current search. Returns false
  /// if there are none.
  bool align_results(Worker& worker, bool searches);
  void leave(const JobPtr& job);

  SearchParts parts_;
  RequestRules rules_;
  Postprocessing postprocessing_;
  RequestQueue& queue_;
  std::int64_t rows_at_a_time_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t rows_to_begin_ = 0;  // the rest of them in this call of work()
  std::unique_ptr<Search> search_;
  const Next* next_ = nullptr;
  const Done* done_ = nullptr;
  std::map<std::uint64_t, JobPtr> under_way_;
  std::deque<JobPtr> again_;  // of these, those to search again
  std::int64_t held_rows_ = 0;
  std::int64_t cancellations_ = 0;  // of the queue, when cancelled requests were last removed
  // The time of steps and of alignments since there have been results to align.
  Clock::duration searched_{0}, aligned_{0};
};

/// Searches for interactive and for background requests, which never share a step. So a background request of
/// any size delays an interactive one by at most one step, and then takes a small share of the time. If there
/// is only one kind of request, it gets all of the time. For a while after an interactive request, rounds of
/// the background search are short, because the next one may come during any of them.
class PrioritizedSearches {
 public:
  /// Returns the next request of a priority, or nothing if there is none at present.
  using Next = std::function<JobPtr(Priority)>;
  using Done = SearchWorker::Done;

  PrioritizedSearches(const SearchParts& parts, RequestQueue& queue);

  /// Takes requests and translates them until there are none left and all are done, or until the queue is
  /// interrupted. Throws what SearchWorker::work() and TranslationSettings::before_step throw; requests in
  /// progress are kept then.
  void run(Worker& worker, const Next& next, const Done& done);

  /// Returns the rows (TranslationJob::rows) of the requests of a priority that are in progress.
  std::int64_t held_rows(Priority priority) const {
    return (priority == Priority::interactive ? interactive_ : background_).held_rows();
  }
  /// Removes and returns the requests in progress, in any order, and frees the memory of the searches.
  std::vector<JobPtr> take_back_jobs();
  /// Frees the memory of the searches, which must have no requests in progress.
  void rest();

 private:
  using Clock = std::chrono::steady_clock;

  /// Does a round of the background search, unless it has had its share of the time. Returns false if it has
  /// nothing to do. `is_alone`: whether there are no interactive requests.
  bool work_in_background(Worker& worker, const Next& next, const Done& done, bool is_alone);

  const std::function<void()>& before_step_;
  std::int64_t batch_tokens_;
  RequestQueue& queue_;
  SearchWorker interactive_, background_;
  Clock::duration owed_{0};  // to the background; negative: it has had more than its share
};

}  // namespace nmt
