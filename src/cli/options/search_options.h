// Options of the search for translations, and of drawing them at random, from their table.
#pragma once

#include <string>

#include "cli/options/options.h"
#include "common/text/spelling.h"
#include "translate/search/setting_table.h"

namespace nmt {

/// What --keep does, for help.
inline constexpr const char* kKeepHelp =
    "parts of the text to keep unchanged: urls, emails, placeholders ({name}), printf (%s), emoji, or a "
    "regular expression. Several rules are separated by commas.";

/// What help says about a setting of the table.
std::string help_of(const SettingFacts& facts);

/// Limits the values of an option to those of a setting, and makes it need what the setting needs, unless a
/// model may bring that (see settle()).
void restrict_to_facts(Option& option, const SettingFacts& facts);

/// Adds an option, or for a bool a switch, for a setting of the table.
template <class T>
Option& add_setting(Options& options, const SettingFacts& facts, T& target) {
  Option* option = nullptr;
  if constexpr (std::is_same_v<T, bool>) {
    option = &options.flag(dashed(facts.name), target, help_of(facts));
  } else {
    option = &options.add(dashed(facts.name), target, facts.value_name, help_of(facts));
  }
  restrict_to_facts(*option, facts);
  return *option;
}

/// Adds the options of all settings of the search that are in the table.
void add_search_options(Options& options, SearchSettings& search);

/// Adds the options of how scores follow from log-probabilities.
void add_score_options(Options& options, ScoreFormula& formula);

/// What the command line says about random sampling.
struct SamplingOptions {
  bool is_on = false;
  SamplingSettings settings;
};

/// Adds `--sample` and the options of the distribution and its seed.
void add_sampling_options(Options& options, SamplingOptions& sampling);

}  // namespace nmt
