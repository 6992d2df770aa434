// What settings of translating ask for together, whoever reads them: from the command line, from requests,
// from calls.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "translate/search/strategy.h"

namespace nmt {

/// The settings that were given.
struct AskedSettings {
  /// As in files ("length_penalty"), but those that say no: `sample: false` asks for nothing.
  std::set<std::string> names;
  /// What messages call one of them: "--length-penalty", "'length_penalty'".
  std::function<std::string(const std::string& name)> called;
};

/// Throws UsageError where one has no part in what another asks for. `search`: what they make of the search.
void check_together(const AskedSettings& asked, const SearchSettings& search);

/// Throws UsageError for what a model from right to left cannot be asked. `model` is its name in messages.
void check_right_to_left(const AskedSettings& asked, const std::string& model);

/// Throws UsageError where a search finds fewer than `found` translations, which the setting `name` asks for.
void check_beam(const AskedSettings& asked, const SearchSettings& search, const std::string& name, int found);

}  // namespace nmt
