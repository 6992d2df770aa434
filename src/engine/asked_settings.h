// Checks that the settings of a translation go together, whether they come from the command line, a request
// or a call.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "translate/search/strategy.h"

namespace nmt {

/// The settings that were given explicitly.
struct AskedSettings {
  /// Names as in files ("length_penalty"), without settings that say no: `sample: false` asks for nothing.
  std::set<std::string> names;
  /// Returns the name of a setting in messages: "--length-penalty", "'length_penalty'".
  std::function<std::string(const std::string& name)> called;
};

/// Changes settings of a search that were not asked for, such as those of a model, if they conflict with
/// those that were: constraints, alternatives, beam groups, and a patience above 1 by Marian's rules use
/// nmt's beam rules, and the beam is wide enough to find `found` translations. Returns a notice of one line
/// for each change. Settings that were asked for do not change, even if they conflict.
std::vector<std::string> give_way(const AskedSettings& asked, int found, SearchSettings& search);

/// Throws UsageError if a setting has no effect together with another one, or without one that was not asked
/// for (see SettingFacts::needs). `search`: the resulting settings.
void check_together(const AskedSettings& asked, const SearchSettings& search);

/// Throws UsageError if there are fewer candidates than translations to choose among them.
void check_candidates(const AskedSettings& asked, int n_best, int candidates);

/// Throws UsageError for settings that a right-to-left model does not support. `model` is its name in
/// messages.
void check_right_to_left(const AskedSettings& asked, const std::string& model);

/// Throws UsageError if a search finds fewer than `found` translations, which the setting `name` asks for.
void check_beam(const AskedSettings& asked, const SearchSettings& search, const std::string& name, int found);

}  // namespace nmt
