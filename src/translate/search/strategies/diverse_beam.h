// Diverse beam search.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "translate/search/strategies/beam.h"

namespace nmt {

/// Diverse beam search (Vijayakumar et al., 2018, algorithm 1, with Hamming diversity): the beam is divided
/// into groups, and each is a BeamSearch for as many of the n best as come to it. In each step the groups
/// choose one after the other: where they look for the best continuations, settings().diversity is taken of a
/// sum for each hypothesis of a group before that has just gone on with the same token. Scores are without
/// that.
class DiverseBeam final : public SearchStrategy {
 public:
  /// `settings` have several groups, of which the beam is a multiple. `limit`: most tokens of a translation;
  /// `end`: EOS.
  DiverseBeam(std::shared_ptr<const SearchSettings> settings, std::int64_t limit, std::int32_t end);

  std::int32_t width() const override { return settings_->beam; }
  std::int32_t hypotheses() const override;
  std::int64_t continuations() const override { return hypotheses() * choices(); }
  std::int64_t choices() const override { return 2 * std::int64_t{settings_->beam}; }
  TokenConstraint constraint(std::int32_t hypothesis) const override;
  std::vector<std::int32_t> repeated(std::int32_t hypothesis) const override;
  bool is_read_at_every_step() const override { return true; }
  void advance(std::span<const Continuation> ranking) override;
  std::vector<Continuation> chosen() const override { return chosen_; }
  bool done() const override { return hypotheses() == 0; }
  /// The best of all groups, each once.
  std::vector<Hypothesis> results() const override;

 private:
  /// Hypotheses that a group has in the next step.
  static std::int32_t rows_of(const BeamSearch& group) { return group.done() ? 0 : group.hypotheses(); }
  /// A group and the number of its hypothesis that is `hypothesis` among all.
  struct Place {
    const BeamSearch* group;
    std::int32_t hypothesis;
  };
  Place place_of(std::int32_t hypothesis) const;

  std::shared_ptr<const SearchSettings> settings_;
  std::vector<BeamSearch> groups_;
  std::vector<Continuation> chosen_;
};

}  // namespace nmt
