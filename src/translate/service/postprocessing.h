// From hypotheses to translations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "nn/files/saved_model.h"
#include "tensor/workers.h"
#include "translate/scoring/alignment.h"
#include "translate/search/length_limit.h"
#include "translate/service/translation_request.h"

namespace nmt {

/// Chooses among hypotheses, makes text of them, copies what is unknown, aligns, and tells how probable
/// tokens are, as each request asks for. Alignments take passes of the model, for each hypothesis one, so
/// they are computed in slices, between which searches go on. What it is made of must outlive it.
class Postprocessing {
 public:
  /// `aligner`: null where no request asks for what needs it. `batch_tokens`: of a slice; see
  /// Aligner::align().
  Postprocessing(const LengthLimit& length_limit, const Aligner* aligner, std::int64_t batch_tokens)
      : length_limit_(length_limit), aligner_(aligner), batch_tokens_(batch_tokens) {}

  /// The text of the tokens of a hypothesis for a request, as one line. It begins with the bytes of the
  /// request's prefix.
  static std::string line_of(const std::vector<std::int32_t>& ids, const TranslationRequest& request);

  /// Takes what was found for a job, best first; nothing where it has failed.
  void add(JobPtr job, std::vector<Hypothesis> hypotheses);
  /// The jobs whose results are complete, which are forgotten.
  std::vector<JobPtr> take_complete();
  /// Whether there are jobs that are not complete after take_complete(): they need slices.
  bool is_pending() const { return !tasks_.empty(); }
  /// Aligns pairs of so many tokens, or one pair. Each call begins with the next job, so that one with many
  /// pairs does not keep the others waiting.
  void align_slice(Worker& worker);
  /// Forgets a job, or all of them.
  void drop(std::uint64_t id);
  void clear() { tasks_.clear(); }

 private:
  /// A translation as it is made.
  struct Draft {
    const Hypothesis* hypothesis;
    Translation* translation;
    std::vector<std::size_t> places = {};  // of its tokens in its text, where that has copies
  };
  /// What the alignments of a task are for at present.
  enum class Stage : std::uint8_t { found, coverage, copies, alignment, complete };
  /// A job on its way.
  struct Task {
    JobPtr job;
    std::vector<Hypothesis> hypotheses;
    Stage stage = Stage::found;
    std::vector<Draft> drafts = {};
    // What is aligned in this stage: pairs, the numbers of their hypotheses or drafts, and how many of them
    // are done.
    std::vector<AlignedPair> pairs = {};
    std::vector<std::size_t> numbers = {};
    std::size_t aligned = 0;
  };

  /// Goes on with a task until it needs alignments or is complete.
  void go_on(Task& task) const;
  // Where alignments are asked for, put the pairs of a stage into the task.
  void begin_coverage(Task& task) const;
  void begin_copies(Task& task) const;
  void begin_alignment(Task& task) const;
  // Make use of the alignment of a pair of that stage.
  void use(Task& task, const AlignedPair& pair, Alignment alignment) const;
  void copy_unknown(const TranslationJob& job, Draft& draft, const AlignedPair& pair,
                    const Alignment& alignment) const;

  static void decode(Task& task);
  /// Keeps what is chosen by minimum Bayes risk, or as closest to a reference.
  static void choose(Task& task);
  /// Makes drafts of the hypotheses that are left.
  static void make_drafts(Task& task);
  /// Tells how probable the tokens and the words of drafts are.
  static void score_tokens(Task& task);
  /// The words of the tokens of a draft, in its text.
  static Words words_of_draft(const TranslationRequest& request, const Draft& draft);
  std::string_view source_of(const TranslationJob& job) const {
    return length_limit_.beginning_of(job.request.text);
  }

  const LengthLimit& length_limit_;
  const Aligner* aligner_;
  std::int64_t batch_tokens_;
  std::list<Task> tasks_;
};

}  // namespace nmt
