// One worker's search over requests that come and go.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "nn/files/saved_model.h"
#include "tensor/workers.h"
#include "translate/scoring/alignment.h"
#include "translate/search/length_limit.h"
#include "translate/search/phrase.h"
#include "translate/search/search.h"
#include "translate/service/input_check.h"
#include "translate/service/postprocessing.h"
#include "translate/service/request_queue.h"

namespace nmt {

/// What all workers of a service have in common; all of it outlives them.
struct SearchParts {
  const Ensemble& ensemble;
  const LengthLimit& length_limit;
  InputCheck& input_check;
  const Aligner* aligner;  // nullptr: nothing is aligned
  DecoderCapacity capacity;
  std::int64_t batch_tokens;
  const std::function<void()>& before_step;
};

/// Encodes texts, searches, and makes text of what is found, with one long-lived Search on one worker.
class SearchWorker {
 public:
  /// Where requests come from: the next one, or nothing at present.
  using Next = std::function<JobPtr()>;
  /// What becomes of one that is done; its result is complete.
  using Done = std::function<void(const JobPtr&)>;

  /// `rows_at_a_time`: how many source rows begin in one call of work() at most, unless one sentence has
  /// more.
  SearchWorker(const SearchParts& parts, RequestQueue& queue,
               std::int64_t rows_at_a_time = std::numeric_limits<std::int64_t>::max())
      : parts_(parts),
        postprocessing_(parts.length_limit, parts.aligner, parts.batch_tokens),
        queue_(queue),
        rows_at_a_time_(rows_at_a_time) {}

  /// Takes requests for which there is room, makes one step of the search, and aligns a slice of results,
  /// unless alignments have had more time than the steps of a search that goes on. Returns whether there was
  /// anything to do. A request that the model computes no numbers for fails. Throws std::bad_alloc where
  /// there is no memory; what was under way is still there then.
  bool work(Worker& worker, const Next& next, const Done& done);
  /// Whether it has the memory of a search.
  bool has_search() const { return search_ != nullptr; }

  /// Rows (TranslationJob::rows) of what is under way.
  std::int64_t held_rows() const { return held_rows_; }
  /// Takes out what is under way, in no order, and gives back the memory of the search.
  std::vector<JobPtr> strand();
  /// Gives back the memory of the search, in which nothing is under way.
  void rest() { search_.reset(); }

 private:
  using Clock = std::chrono::steady_clock;

  /// What a request avoided, as the next sentence of the same text does.
  struct Avoided {
    std::shared_ptr<const std::vector<std::string>> texts;
    std::shared_ptr<const std::vector<Phrase>> besides;
    std::shared_ptr<const Vocabularies> vocabularies;
    std::shared_ptr<const std::vector<Phrase>> phrases;
  };

  void encode(TranslationJob& job);
  /// Makes settings of what a request says by texts. Throws UnusablePhrase.
  void take_texts(TranslationRequest& request);
  /// Throws SentenceError where it has more tokens than a sentence may have.
  std::vector<int> tokens_of_prefix(const std::string& prefix, const Vocabulary& target) const;
  /// Those of `avoid`, and what the settings of the search forbid besides.
  std::shared_ptr<const std::vector<Phrase>> phrases_to_avoid(const TranslationRequest& request);
  /// The next one that has tokens, encoded.
  std::optional<SearchRequest> begin();
  void let_go_of_cancelled();
  /// Tells of the best translations so far where that is asked for.
  void tell_progress() const;
  /// Makes results of what was found, but for alignments.
  void take_found();
  /// Delivers what is complete.
  void deliver();
  /// Aligns results, unless that has had more time than the steps of a search that goes on. False: there are
  /// none.
  bool align_results(Worker& worker, bool searches);
  void leave(const JobPtr& job);

  SearchParts parts_;
  Postprocessing postprocessing_;
  RequestQueue& queue_;
  std::int64_t rows_at_a_time_, rows_to_begin_ = 0;  // that is left of them in this call of work()
  std::unique_ptr<Search> search_;
  const Next* next_ = nullptr;
  const Done* done_ = nullptr;
  std::map<std::uint64_t, JobPtr> under_way_;
  std::int64_t held_rows_ = 0;
  Avoided avoided_;
  std::int64_t cancellations_ = 0;  // of the queue, when cancelled requests were let go of last
  // Since there have been results to be aligned: how long steps took, and how long alignments.
  Clock::duration searched_{0}, aligned_{0};
};

}  // namespace nmt
