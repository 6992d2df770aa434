// Beam search over one sentence: which continuations live, which are finished, and when the search is done.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "translate/search/strategy.h"

namespace nmt {

/// ((5 + length) / 6)^alpha; the length counts EOS.
double length_penalty(std::int64_t length, double alpha);

/// The search of one sentence. At each step the best 2 * beam continuations of the live hypotheses are ranked
/// by summed log-probability (ties: lower hypothesis, then lower id); those among the first `beam` that end
/// are finished, the best `beam` that do not end live on. The search is done when its n-th best finished
/// hypothesis scores at least the best live sum over the penalty at the limit, or at the limit; with beam 1
/// at EOS. By the same bound single hypotheses are let go, which changes no result: whatever ranks behind one
/// that can no longer come among the n best cannot either.
class BeamSearch final : public SearchStrategy {
 public:
  struct Live {
    double total = 0;
    std::vector<std::int32_t> ids;
  };

  /// `limit`: most tokens of a translation; `end`: EOS.
  BeamSearch(std::shared_ptr<const SearchSettings> settings, std::int64_t limit, std::int32_t end);

  /// The live hypotheses, best first; at first one, empty. Fewer than `beam` where some have been let go.
  const std::vector<Live>& live() const { return live_; }

  std::int32_t width() const override { return settings_->beam; }
  std::int32_t hypotheses() const override { return static_cast<std::int32_t>(live_.size()); }
  std::int64_t continuations() const override { return 2 * std::int64_t{settings_->beam}; }
  TokenList forbidden() const override;
  bool is_read_at_every_step() const override { return false; }
  void advance(std::span<const Continuation> ranking) override;
  bool done() const override { return done_; }
  /// The n best, finished ones first; fewer when the vocabulary gives no more.
  std::vector<Hypothesis> results() const override;

 private:
  void finish(double total, const std::vector<std::int32_t>& ids);
  /// Whether a hypothesis of this sum can still come among the n best, however it goes on.
  bool has_hope(double total) const;
  bool out_of_patience() const;

  std::shared_ptr<const SearchSettings> settings_;
  std::int64_t limit_;
  std::int32_t end_;
  std::int64_t step_ = 0;
  std::vector<Live> live_;
  std::vector<Hypothesis> finished_;  // best first
  std::int64_t finished_ever_ = 0;    // some of which are no longer among the best
  bool done_ = false;
};

}  // namespace nmt
