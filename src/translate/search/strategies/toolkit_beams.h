// Beam search by the rules of nmt, Marian, Hugging Face, CTranslate2 and eole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "translate/search/strategies/beam_strategy.h"

namespace nmt {

/// Searches for the translations of one sentence. Each step ranks the best 2 * beam continuations of the live
/// hypotheses by summed log-probability (ties: lower hypothesis, then lower id). Those that end among the
/// first `beam` are finished; the best `beam` that do not end stay alive. With beam 1 the search is done at
/// EOS. Otherwise it is done when its n-th best finished hypothesis scores at least as high as the best live
/// sum can become up to the limit. It is also done at the limit, after which EOS may still follow. The same
/// bound prunes single hypotheses. This changes no result: if a hypothesis can no longer become one of the n
/// best, neither can those that rank after it.
class BeamSearch final : public BeamStrategy {
 public:
  explicit BeamSearch(const SentenceSearch& search);

 private:
  void choose(Candidates candidates) override;
};

/// Searches for the translations of one sentence. The beam narrows by one for each hypothesis that finishes.
/// Each step takes as many of the best continuations of the live hypotheses as the beam is wide; those that
/// end are finished, the others stay alive. The search is done when none is alive, or at the limit, where
/// live hypotheses count as finished.
class MarianBeam final : public BeamStrategy {
 public:
  explicit MarianBeam(const SentenceSearch& search);

  std::int64_t continuations() const override { return width(); }
  /// The width of the beam must be known.
  bool is_read_at_every_step() const override { return true; }

 private:
  void choose(Candidates candidates) override;

  std::size_t wide_;
};

/// Searches for the translations of one sentence. Each step ranks the best 2 * beam continuations of the live
/// hypotheses; those that end among the first `beam` are finished, and the best `beam` of all finished ones
/// are kept. The best `beam` that do not end stay alive. The search is done when `beam` hypotheses are kept
/// and the worst of them scores at least as high as the best continuation would at its present length. It is
/// also done at the limit, where live hypotheses count as finished. This corresponds to `generate` with
/// `early_stopping` False; a patience of 1 corresponds to True.
class HuggingFaceBeam final : public BeamStrategy {
 public:
  explicit HuggingFaceBeam(const SentenceSearch& search);

 private:
  void choose(Candidates candidates) override;
  /// Whether the finished hypotheses are good enough, if the best continuation of this step scores `best`.
  bool is_enough(double best) const;
};

/// Searches for the translations of one sentence. Each step ranks the best 2 * beam continuations of the live
/// hypotheses; those that end among the first `beam` are finished, and the best `beam` that do not end stay
/// alive. The search is done
/// - when `patience` (default: 1) times the beam width hypotheses have finished;
/// - without length and coverage penalties, when the first of a ranking has finished;
/// - with beam 1, at EOS;
/// - at the limit, where the first `beam` continuations count as finished.
/// A translation has at least one token.
/// Forbidden tokens get no share of the probability.
class CTranslate2Beam final : public BeamStrategy {
 public:
  explicit CTranslate2Beam(const SentenceSearch& search);

 private:
  void choose(Candidates candidates) override;
  /// Returns the candidates for the first token after the prefix: EOS counts only if it ranks first.
  std::vector<Continuation> after_given(Candidates candidates) const;
  bool is_enough() const;

  bool first_has_ended_ = false;  // whether the first of a ranking has ended
};

/// Searches for the translations of one sentence. Each step takes the best `beam` continuations; those that
/// end are finished, the others stay alive. The search is done when the best continuation ends and as many
/// hypotheses as requested have finished. It is also done at the limit, where live hypotheses count as
/// finished.
class EoleBeam final : public BeamStrategy {
 public:
  explicit EoleBeam(const SentenceSearch& search);

  std::int64_t continuations() const override { return width(); }
  /// The number of live hypotheses must be known.
  bool is_read_at_every_step() const override { return true; }

 private:
  void choose(Candidates candidates) override;
};

}  // namespace nmt
