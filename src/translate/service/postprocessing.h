// Turns hypotheses into translations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "nn/saved/saved_model.h"
#include "tensor/workers.h"
#include "translate/scoring/alignment.h"
#include "translate/search/length_limit.h"
#include "translate/service/translation_request.h"

namespace nmt {

/// Turns the hypotheses of each request into the results that it asks for: chooses among hypotheses, converts
/// them to text, copies unknown words, aligns, and adds the probabilities of tokens. Aligning takes a pass of
/// the model for each hypothesis and is done in slices, between which searches continue. The arguments of the
/// constructor must outlive this object.
class Postprocessing {
 public:
  /// `aligner`: null if no request needs alignments. `batch_tokens`: the size of a slice; see
  /// Aligner::align().
  Postprocessing(const LengthLimit& length_limit, const Aligner* aligner, std::int64_t batch_tokens)
      : length_limit_(length_limit), aligner_(aligner), batch_tokens_(batch_tokens) {}

  /// Returns the tokens of a hypothesis of a job as one line of text, which begins with the bytes of the
  /// request's prefix.
  static std::string line_of(const std::vector<std::int32_t>& ids, const TranslationJob& job);

  /// Adds the hypotheses of a job, best first; none if it has failed.
  void add(JobPtr job, std::vector<Hypothesis> hypotheses);
  /// Returns the jobs whose results are complete, and removes them.
  std::vector<JobPtr> take_complete();
  /// Whether jobs are left after take_complete(), which need slices.
  bool is_pending() const { return !tasks_.empty(); }
  /// Aligns pairs of at most batch_tokens and at most `most_tokens` tokens, or one pair. Each call continues
  /// with another job, so that a job with many pairs does not delay the others.
  void align_slice(Worker& worker, std::int64_t most_tokens = std::numeric_limits<std::int64_t>::max());
  /// Removes a job, or all of them.
  void drop(std::uint64_t id);
  void clear() { tasks_.clear(); }

 private:
  /// A translation in progress.
  struct Draft {
    const Hypothesis* hypothesis;
    Translation* translation;
    std::vector<std::size_t> places = {};  // positions of its tokens in its text, if the text has copies
  };
  /// The current use of the alignments of a task.
  enum class Stage : std::uint8_t { found, coverage, copies, alignment, complete };
  /// A job in progress.
  struct Task {
    JobPtr job;
    std::vector<Hypothesis> hypotheses;
    Stage stage = Stage::found;
    std::vector<Draft> drafts = {};
    // The pairs to align in this stage, the numbers of their hypotheses or drafts, and the number of pairs
    // that are done.
    std::vector<AlignedPair> pairs = {};
    std::vector<std::size_t> numbers = {};
    std::size_t aligned = 0;
  };

  /// Continues a task until it needs alignments or is complete.
  void go_on(Task& task) const;
  // The following add the pairs of a stage to the task if alignments are asked for.
  void begin_coverage(Task& task) const;
  void begin_copies(Task& task) const;
  void begin_alignment(Task& task) const;
  // The following use the alignment of a pair of a stage.
  void use(Task& task, const AlignedPair& pair, Alignment alignment) const;
  void copy_unknown(const TranslationJob& job, Draft& draft, const AlignedPair& pair,
                    const Alignment& alignment) const;

  static void decode(Task& task);
  /// Keeps the hypotheses of minimum Bayes risk, or those closest to a reference.
  static void choose(Task& task);
  /// Makes drafts of the remaining hypotheses.
  static void make_drafts(Task& task);
  /// Computes the log-probabilities of the tokens and words of drafts.
  static void score_tokens(Task& task);
  /// Returns the words of the tokens of a draft, in its text.
  static Words words_of_draft(const TranslationJob& job, const Draft& draft);
  std::string_view source_of(const TranslationJob& job) const {
    return length_limit_.beginning_of(text_of(job));
  }
  /// Returns the words of the source tokens of a job, in the text of its request.
  Words words_of_source(const TranslationJob& job) const;

  const LengthLimit& length_limit_;
  const Aligner* aligner_;
  std::int64_t batch_tokens_;
  std::list<Task> tasks_;
};

}  // namespace nmt
