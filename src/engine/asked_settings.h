// What settings of translating ask for together, whoever reads them: from the command line, from requests,
// from calls.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "translate/search/strategy.h"

namespace nmt {

/// The settings that were given.
struct AskedSettings {
  /// As in files ("length_penalty"), but those that say no: `sample: false` asks for nothing.
  std::set<std::string> names;
  /// What messages call one of them: "--length-penalty", "'length_penalty'".
  std::function<std::string(const std::string& name)> called;
};

/// Makes settings of a search that nobody asked for, such as those of a model, give way to those that were
/// asked for: constraints, alternatives and beam groups are searched for by nmt's beam rules, and a beam is
/// wide enough for the translations that are to be found, `found` of them at least. Returns a notice of each
/// change, a line. What was asked for stays as it is, even where it does not go together.
std::vector<std::string> give_way(const AskedSettings& asked, int found, SearchSettings& search);

/// Throws UsageError where one has no effect with another one, or without one that was not asked for (see
/// SettingFacts::needs). `search`: the settings that result from them.
void check_together(const AskedSettings& asked, const SearchSettings& search);

/// Throws UsageError where fewer candidates are to be found than translations chosen among them.
void check_candidates(const AskedSettings& asked, int n_best, int candidates);

/// Throws UsageError for what a model from right to left cannot be asked. `model` is its name in messages.
void check_right_to_left(const AskedSettings& asked, const std::string& model);

/// Throws UsageError where a search finds fewer than `found` translations, which the setting `name` asks for.
void check_beam(const AskedSettings& asked, const SearchSettings& search, const std::string& name, int found);

}  // namespace nmt
