// Beam search over one sentence: which continuations live, which are finished, and when the search is done.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tensor/continuation.h"

namespace nmt {

class Shortlist;

struct SearchSettings {
  int beam = 4;                 // 1: greedy
  double length_penalty = 0.6;  // alpha of ((5 + length) / 6)^alpha (Wu et al., 2016, equation 14)
  /// The longest output has factor * source tokens + extra, end marks not counted.
  double max_length_factor = 1;
  std::int64_t max_length_extra = 50;
  int n_best = 1;
  /// Where given, a search is also done when this times `beam` hypotheses have finished, n_best at least
  /// (Kasai et al., 2022); one of width 1 always is at the first.
  std::optional<double> patience = std::nullopt;
  /// Tokens that are never part of a translation, in rising order, the end mark not among them: as if their
  /// log-probability were minus infinity, while those of the others stay as they are.
  std::vector<std::int32_t> forbidden = {};
  /// The tokens that each sentence may become, among which alone probabilities are shared out; none: all.
  std::shared_ptr<const Shortlist> shortlist = nullptr;
};

/// A finished translation, end mark not included.
struct Hypothesis {
  double score = 0;  // sum of log-probabilities over the length penalty
  std::vector<std::int32_t> ids;
};

/// ((5 + length) / 6)^alpha; the length counts the end mark.
double length_penalty(std::int64_t length, double alpha);

/// The search of one sentence. At each step the best 2 * beam continuations of the live hypotheses are ranked
/// by summed log-probability (ties: lower hypothesis, then lower id); those among the first `beam` that end
/// are finished, the best `beam` that do not end live on. The search is done when its n-th best finished
/// hypothesis scores at least the best live sum over the penalty at the limit, or at the limit; with beam 1
/// at the end mark. By the same bound single hypotheses are let go, which changes no result: whatever ranks
/// behind one that can no longer come among the n best cannot either.
class BeamSearch {
 public:
  struct Live {
    double total = 0;
    std::vector<std::int32_t> ids;
  };

  /// `limit`: most tokens of a translation; `end`: the end mark's id.
  BeamSearch(const SearchSettings& settings, std::int64_t limit, std::int32_t end);

  /// The live hypotheses, best first; at first one, empty. Fewer than `beam` where some have been let go.
  const std::vector<Live>& live() const { return live_; }
  /// Takes a step: the best 2 * beam continuations of the live hypotheses, and maybe of those that have been
  /// let go, in rows behind them; see RankContinuations.
  void advance(std::span<const Continuation> ranking);
  bool done() const { return done_; }
  /// The n best, finished ones first; fewer when the vocabulary gives no more, none when all that it gives
  /// have a probability of 0.
  std::vector<Hypothesis> results() const;

 private:
  void finish(double total, const std::vector<std::int32_t>& ids);
  /// Whether a hypothesis of this sum can still come among the n best, however it goes on.
  bool has_hope(double total) const;
  bool out_of_patience() const;

  SearchSettings settings_;
  std::int64_t limit_;
  std::int32_t end_;
  std::int64_t step_ = 0;
  std::vector<Live> live_;
  std::vector<Hypothesis> finished_;  // best first
  std::int64_t finished_ever_ = 0;    // some of which are no longer among the best
  bool done_ = false;
};

}  // namespace nmt
