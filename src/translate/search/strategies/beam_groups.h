// Several beam searches of one sentence.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "translate/search/strategies/beam.h"

namespace nmt {

/// Beam searches of one sentence side by side: the hypotheses of the first, then those of the second, and so
/// on. Each step is read, since which of them go on depends on all that may follow.
class BeamGroups : public SearchStrategy {
 public:
  std::int32_t hypotheses() const override;
  std::int64_t continuations() const override { return hypotheses() * choices(); }
  TokenConstraint constraint(std::int32_t hypothesis) const override;
  std::vector<std::int32_t> repeated(std::int32_t hypothesis) const override;
  bool is_read_at_every_step() const override { return true; }
  void advance(std::span<const Continuation> ranking) override;
  std::vector<Continuation> chosen() const override { return chosen_; }
  bool done() const override { return hypotheses() == 0; }

 protected:
  explicit BeamGroups(std::vector<BeamSearch> groups) : groups_(std::move(groups)) {}

  /// Puts the continuations of a group into the order in which it is to see them: best first, as they are.
  virtual void arrange(std::vector<Continuation>& /*own*/) const {}
  /// Tells what a group has gone on with.
  virtual void taken(const std::vector<Continuation>& /*own*/) {}

  /// Puts these in the place of the only group there was, among whose continuations each has just chosen.
  void divide(std::vector<BeamSearch> groups);
  const std::vector<BeamSearch>& groups() const { return groups_; }

 private:
  /// Hypotheses that a group has in the next step.
  static std::int32_t rows_of(const BeamSearch& group) { return group.done() ? 0 : group.hypotheses(); }
  /// A group and the number of its hypothesis that is `hypothesis` among all.
  struct Place {
    const BeamSearch* group;
    std::int32_t hypothesis;
  };
  Place place_of(std::int32_t hypothesis) const;

  std::vector<BeamSearch> groups_;
  std::vector<Continuation> chosen_;
};

/// The first of these translations that differ, at most `most`: by their tokens, and where `settings` want it
/// by their readings.
std::vector<Hypothesis> different(std::vector<Hypothesis> all, const SearchSettings& settings, int most);

}  // namespace nmt
