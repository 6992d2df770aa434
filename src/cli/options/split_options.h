// Options for splitting texts into sentences.
#pragma once

#include <optional>
#include <string>

#include "cli/options/options.h"

namespace nmt {

/// Help text of --too-long.
inline constexpr const char* kTooLongHelp =
    "treatment of text with more tokens than --max-length, or than the model supports. split translates it "
    "in parts that end with a sentence, a clause, a comma or a word, and joins them again. truncate leaves "
    "out the end, with a warning. refuse reports an error.";

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

}  // namespace nmt
