// From hypotheses to translations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/files/saved_model.h"
#include "tensor/workers.h"
#include "translate/scoring/alignment.h"
#include "translate/search/length_limit.h"
#include "translate/service/translation_request.h"

namespace nmt {

/// What was found for a request, whose result is to be completed.
struct FoundForJob {
  TranslationJob* job = nullptr;
  std::vector<Hypothesis> hypotheses = {};
};

/// Chooses among hypotheses, makes text of them, copies what is unknown, aligns, and tells how probable
/// tokens are, as each request asks for. What it is made of must outlive it.
class Postprocessing {
 public:
  /// `aligner`: null where no request asks for what needs it. `batch_tokens`: see Aligner::align().
  Postprocessing(const LengthLimit& length_limit, const Aligner* aligner, std::int64_t batch_tokens)
      : length_limit_(length_limit), aligner_(aligner), batch_tokens_(batch_tokens) {}

  /// The text of the tokens of a hypothesis for a request, as one line. It begins with the bytes of the
  /// request's prefix.
  static std::string line_of(const std::vector<std::int32_t>& ids, const TranslationRequest& request);

  /// Puts the translations of each into the result of its job.
  void operator()(Worker& worker, std::vector<FoundForJob>& found) const;

 private:
  /// A translation as it is made.
  struct Draft {
    TranslationJob* job;
    const Hypothesis* hypothesis;
    Translation* translation;
    std::vector<std::string> pieces =
        {};  // of a prefix as given, and with copies of unknown text; or else none
  };

  /// Where coverage counts, adds it to scores, and keeps as many of the best as are wanted.
  void apply_coverage(Worker& worker, std::vector<FoundForJob>& found) const;
  static void decode(FoundForJob& found);
  /// Keeps what is chosen by minimum Bayes risk, or as closest to a reference.
  static void choose(FoundForJob& found);
  static void score_tokens(Draft& draft);
  void replace_unknown(Worker& worker, std::vector<Draft>& drafts) const;
  void align(Worker& worker, std::vector<Draft>& drafts) const;
  std::string_view source_of(const TranslationJob& job) const {
    return length_limit_.beginning_of(job.request.text);
  }

  const LengthLimit& length_limit_;
  const Aligner* aligner_;
  std::int64_t batch_tokens_;
};

}  // namespace nmt
