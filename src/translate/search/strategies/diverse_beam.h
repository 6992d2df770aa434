// Diverse beam search.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "translate/search/strategies/beam_groups.h"

namespace nmt {

/// Diverse beam search (Vijayakumar et al., 2018, algorithm 1, with Hamming diversity). The beam is divided
/// into groups, each of which is a BeamSearch for its share of the n best. In each step the groups choose one
/// after the other. For this choice, settings().diversity is subtracted from a sum for each hypothesis of an
/// earlier group that has just continued with the same token. Scores do not include this penalty.
class DiverseBeam final : public BeamGroups {
 public:
  /// The settings of `search` must have several groups and a beam width that is a multiple of their number.
  explicit DiverseBeam(const SentenceSearch& search);

  std::int32_t width() const override { return settings().beam; }
  std::int64_t choices() const override { return 2 * std::int64_t{settings().beam}; }
  void advance(std::span<const Continuation> ranking) override;
  /// Returns the best translations of all groups, each once.
  std::vector<Hypothesis> results() const override;

 private:
  const SearchSettings& settings() const { return *search_.settings; }
  void arrange(std::vector<Continuation>& own) const override;
  void on_taken(const std::vector<Continuation>& own) override;

  SentenceSearch search_;
  std::map<double, int> taken_;  // tokens of this step, and the number of hypotheses that chose each
};

}  // namespace nmt
