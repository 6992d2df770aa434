// The modifiers of augmentation and their rates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/named.h"

namespace nmt {

/// A way to change pairs, in the order in which they apply.
enum class Modifier : std::uint8_t {
  merge,
  noise,
  strip_end,
  add_end,
  upper,
  title,
  lower,
  typo,
  placeholder,
  copy,
  tag,
  terms,
  drop,
  mask,
  switched
};

template <>
struct Names<Modifier> {
  static constexpr std::array<Named<Modifier>, 15> kAll = {{{Modifier::merge, "merge"},
                                                            {Modifier::noise, "noise"},
                                                            {Modifier::strip_end, "strip-end"},
                                                            {Modifier::add_end, "add-end"},
                                                            {Modifier::upper, "upper"},
                                                            {Modifier::title, "title"},
                                                            {Modifier::lower, "lower"},
                                                            {Modifier::typo, "typo"},
                                                            {Modifier::placeholder, "placeholder"},
                                                            {Modifier::copy, "copy"},
                                                            {Modifier::tag, "tag"},
                                                            {Modifier::terms, "terms"},
                                                            {Modifier::drop, "drop"},
                                                            {Modifier::mask, "mask"},
                                                            {Modifier::switched, "switch"}}};
};

/// What a modifier changes: pairs, words that are aligned one to one, or source tokens. Its rate is the share
/// that changes.
enum class ModifierUnit : std::uint8_t { pair, word, token };
ModifierUnit unit_of(Modifier modifier);

/// The rate of each modifier, from 0 to 1: its share of pairs, words or tokens.
class ModifierRates {
 public:
  double operator[](Modifier modifier) const { return rates_[static_cast<std::size_t>(modifier)]; }
  double& operator[](Modifier modifier) { return rates_[static_cast<std::size_t>(modifier)]; }

  /// Whether a modifier of this unit has a rate above 0. Those of words need word alignments.
  bool change(ModifierUnit unit) const;
  /// Whether any modifier that changes text has a rate above 0.
  bool change_text() const { return change(ModifierUnit::pair) || change(ModifierUnit::word); }
  bool change_anything() const { return change_text() || change(ModifierUnit::token); }

  bool operator==(const ModifierRates&) const = default;

 private:
  std::array<double, Names<Modifier>::kAll.size()> rates_{};
};

/// Reads rates such as "upper=0.05", each an element or part of a comma-separated list. Throws UsageError for
/// unknown or repeated modifiers, rates outside of 0 to 1, and rates of modifiers that exclude each other
/// (upper, title and lower; drop, mask and switch) whose sum is above 1; `setting`: what gave them, for
/// its messages.
ModifierRates modifier_rates(const std::vector<std::string>& texts, const std::string& setting = "`augment`");

/// Returns the texts, in the order of the modifiers, from which modifier_rates() gives these rates:
/// "upper=0.05", "title=0.05". Rates of 0 are left out.
std::vector<std::string> texts_of(const ModifierRates& rates);

}  // namespace nmt
