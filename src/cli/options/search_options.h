// Options of the search for translations, of splitting texts into sentences, and of alignments.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "common/text/spelling.h"
#include "translate/scoring/alignment.h"
#include "translate/search/setting_table.h"

namespace nmt {

/// The help of --keep.
inline constexpr const char* kKeepHelp =
    "parts of the text to keep unchanged: urls, emails, placeholders ({name}), printf (%s), emoji, or a "
    "regular expression. Several rules are separated by commas.";

/// Returns the help of a setting of the table.
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

/// The options for random sampling.
struct SamplingOptions {
  bool is_on = false;
  SamplingSettings settings;
};

/// Adds `--sample` and the options of the distribution and its seed.
void add_sampling_options(Options& options, SamplingOptions& sampling);

/// Help text of --too-long.
inline constexpr const char* kTooLongHelp =
    "treatment of text with more tokens than --max-length, or than the model supports. split translates it "
    "in parts and joins them again. truncate leaves out the end, with a warning. refuse reports an error.";

struct SplitOptions {
  std::string into = "none";                 // "sentences", "none"
  std::optional<std::string> language;       // of the texts
  std::optional<std::string> abbreviations;  // a file

  bool is_on() const { return into == "sentences"; }
};

/// Adds --split (default: `options.into`), --split-language, and --abbreviations.
void add_split_options(Options& options, SplitOptions& settings);

/// Throws UsageError for an invalid language code.
void check_split(const Options& options, const SplitOptions& settings);

struct AlignmentOptions {
  std::optional<std::string> form;  // hard, soft, or a threshold
  AlignmentSettings settings;
};

/// Adds `--alignment-layer` and `--alignment-head`; `finish` completes each.
void add_attention_choice(
    Options& options, AlignmentSettings& target, const std::function<void(Option&)>& finish = [](Option&) {});

/// Adds `--alignment`, `--alignment-layer` and `--alignment-head`. The last two also apply if one of the
/// `other` settings is given.
void add_alignment_options(Options& options, AlignmentOptions& target,
                           const std::vector<std::string>& others = {});

/// Throws UsageError for an invalid form.
void check(const Options& options, const AlignmentOptions& alignment);

/// Parses a checked value of --alignment.
AlignmentForm form_of(const std::string& form);

/// Formats an alignment. hard: "0-0 1-2", one source word per target word; a threshold between 0 and 1: all
/// pairs above it, in the same notation; soft: for each target word and for the end, the weights of all
/// source words and of the end, separated by commas.
std::string format(const Alignment& alignment, const std::string& form);

}  // namespace nmt
