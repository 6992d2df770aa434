// Translations that differ in the token after the prefix.
#pragma once

#include <cstdint>
#include <iterator>
#include <vector>

#include "translate/search/strategies/beam_groups.h"

namespace nmt {

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
