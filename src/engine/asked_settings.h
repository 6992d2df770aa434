// Checks that the settings of a translation go together, whether they come from the command line, a request
// or a call.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "translate/search/search_settings.h"

namespace nmt {

/// The settings that were given explicitly.
struct AskedSettings {
  /// Names as in files ("length_penalty"), without settings that say no: `sample: false` asks for nothing.
  std::set<std::string> names;
  /// Returns the name of a setting in messages: "--length-penalty", "'length_penalty'".
  std::function<std::string(const std::string& name)> called;
};

/// Changes settings of a search that were not asked for, such as those of a model, if they conflict with
/// requested ones. Constraints, a glossary, alternatives, beam groups, and a patience above 1 by Marian's
/// rules use nmt's beam rules. The beam becomes wide enough to find `found` translations, and a greedy search
/// becomes a beam search if constraints, a glossary, minimum Bayes risk or an oracle need one. Returns a
/// notice of one line for each change. Settings that were asked for do not change, even if they conflict.
std::vector<std::string> give_way(const AskedSettings& asked, int found, SearchSettings& search);

/// The number of translations that a user wants.
struct WantedTranslations {
  int n_best = 1;
  /// The number of candidates that the user asked for.
  std::optional<int> candidates = std::nullopt;
  bool are_chosen = false;  // among candidates, by a metric; see usual_candidates()
};

/// Completes the settings of a search, to which those of the model were added: settings give way (see
/// give_way(), whose notices it returns), and n_best becomes the number of translations to find. Throws
/// UsageError for settings that conflict, or have no effect without another one (see SettingFacts::needs).
/// The command line, requests and calls of the library share these checks.
std::vector<std::string> settle(const AskedSettings& asked, const WantedTranslations& wanted,
                                bool has_constraints, SearchSettings& search);

/// Returns the settings of a search for sentences with terms of a glossary, completed as settle() does for
/// constraints. By annotation, there is no such search, and nothing changes. `search`: the settings before
/// settle(). Appends notices that are not there yet.
SearchSettings settle_for_terms(AskedSettings asked, const WantedTranslations& wanted, SearchSettings search,
                                std::vector<std::string>& notices);

/// Throws UsageError for settings that a right-to-left model does not support. `model` is its name in
/// messages.
void check_right_to_left(const AskedSettings& asked, const std::string& model);

}  // namespace nmt
