// Beam searches in groups: diverse translations, and alternatives for each beginning.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "translate/search/strategies/toolkit_beams.h"

namespace nmt {

/// Runs several beam searches of one sentence side by side. The hypotheses of the first group come first,
/// then those of the second, and so on. Each step is read, because which hypotheses continue depends on all
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

/// Finds, for each of the n_best most probable tokens other than EOS that may follow the first tokens, the
/// best translation that continues with it. Each has a BeamSearch of its own.
class AlternativesBeam final : public BeamGroups {
 public:
  explicit AlternativesBeam(const SentenceSearch& search);

  std::int32_t width() const override { return settings().width(); }
  std::int64_t choices() const override;
  void advance(std::span<const Continuation> ranking) override;
  /// Returns one translation for each token, in descending order of the tokens' probabilities.
  std::vector<Hypothesis> results() const override;

 private:
  const SearchSettings& settings() const { return *search_.settings; }
  /// The number of first tokens.
  std::int64_t given() const { return std::ssize(search_.rules->first_tokens); }
  bool is_before_division() const { return step_ <= given(); }

  SentenceSearch search_;
  std::int64_t step_ = 0;
};

}  // namespace nmt
