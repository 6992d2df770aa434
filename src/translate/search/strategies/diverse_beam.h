// Diverse beam search.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "translate/search/strategies/beam_groups.h"

namespace nmt {

/// Diverse beam search (Vijayakumar et al., 2018, algorithm 1, with Hamming diversity): the beam is divided
/// into groups, and each is a BeamSearch for as many of the n best as come to it. In each step the groups
/// choose one after the other: where they look for the best continuations, settings().diversity is taken of a
/// sum for each hypothesis of a group before that has just gone on with the same token. Scores are without
/// that.
class DiverseBeam final : public BeamGroups {
 public:
  /// `settings` have several groups, of which the beam is a multiple. `limit`: most tokens of a translation;
  /// `end`: EOS.
  DiverseBeam(std::shared_ptr<const SearchSettings> settings, std::int64_t limit, std::int32_t end);

  std::int32_t width() const override { return settings_->beam; }
  std::int64_t choices() const override { return 2 * std::int64_t{settings_->beam}; }
  void advance(std::span<const Continuation> ranking) override;
  /// The best of all groups, each once.
  std::vector<Hypothesis> results() const override;

 private:
  void arrange(std::vector<Continuation>& own) const override;
  void taken(const std::vector<Continuation>& own) override;

  std::shared_ptr<const SearchSettings> settings_;
  std::map<double, int> taken_;  // in this step: tokens, and by how many hypotheses
};

}  // namespace nmt
