// Translations that differ in the token behind what is given.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "translate/search/strategies/beam_groups.h"

namespace nmt {

/// The n_best most probable tokens that may follow on the first tokens, EOS not among them, and for each the
/// best translation that goes on with it, which a BeamSearch of its own finds.
class AlternativesBeam final : public BeamGroups {
 public:
  /// `limit`: most tokens of a translation; `end`: EOS.
  AlternativesBeam(std::shared_ptr<const SearchSettings> settings, std::int64_t limit, std::int32_t end);

  std::int32_t width() const override { return settings_->width(); }
  std::int64_t choices() const override;
  void advance(std::span<const Continuation> ranking) override;
  /// In the order of the probabilities of these tokens, each once.
  std::vector<Hypothesis> results() const override;

 private:
  bool is_before_division() const { return step_ <= std::ssize(settings_->first_tokens); }

  std::shared_ptr<const SearchSettings> settings_;
  std::int64_t step_ = 0;
};

}  // namespace nmt
