// Translations that differ in the token after the prefix.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "translate/search/strategies/beam_groups.h"

namespace nmt {

/// Finds, for each of the n_best most probable tokens other than EOS that may follow the first tokens, the
/// best translation that continues with it. Each has a BeamSearch of its own.
class AlternativesBeam final : public BeamGroups {
 public:
  /// `limit`: maximum number of tokens of a translation; `end`: EOS.
  AlternativesBeam(std::shared_ptr<const SearchSettings> settings, std::int64_t limit, std::int32_t end);

  std::int32_t width() const override { return settings_->width(); }
  std::int64_t choices() const override;
  void advance(std::span<const Continuation> ranking) override;
  /// Returns one translation for each token, in descending order of the tokens' probabilities.
  std::vector<Hypothesis> results() const override;

 private:
  bool is_before_division() const { return step_ <= std::ssize(settings_->first_tokens); }

  std::shared_ptr<const SearchSettings> settings_;
  std::int64_t step_ = 0;
};

}  // namespace nmt
