// Several beam searches of one sentence.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "translate/search/strategies/beam.h"

namespace nmt {

/// Runs several beam searches of one sentence side by side. The hypotheses of the first group come first,
/// then those of the second, and so on. Each step is read, because which hypotheses go on depends on all
/// continuations.
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

  /// Puts the continuations of a group into the order in which the group sees them; by default, best first.
  virtual void arrange(std::vector<Continuation>& /*own*/) const {}
  /// Called with the continuations that a group has chosen.
  virtual void on_taken(const std::vector<Continuation>& /*own*/) {}

  /// Replaces the only group by these groups, each of which has just chosen among its continuations.
  void divide(std::vector<BeamSearch> groups);
  const std::vector<BeamSearch>& groups() const { return groups_; }

 private:
  /// Returns the number of hypotheses of a group in the next step.
  static std::int32_t rows_of(const BeamSearch& group) { return group.done() ? 0 : group.hypotheses(); }
  /// A group and the number of one of its hypotheses.
  struct Place {
    const BeamSearch* group;
    std::int32_t hypothesis;
  };
  Place place_of(std::int32_t hypothesis) const;

  std::vector<BeamSearch> groups_;
  std::vector<Continuation> chosen_;
};

/// Returns the first `most` of these translations that have different tokens and, if the settings of `search`
/// ask for it, different texts.
std::vector<Hypothesis> different(std::vector<Hypothesis> all, const SentenceSearch& search, int most);

}  // namespace nmt
