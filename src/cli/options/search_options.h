// Options of the search for translations, and of drawing them at random.
#pragma once

#include "cli/options/options.h"
#include "translate/search/strategy.h"

namespace nmt {

/// What --keep does, for help.
inline constexpr const char* kKeepHelp =
    "keep parts of the text as they are: urls, emails, placeholders ({name}), printf (%s) or emoji, several "
    "with commas "
    "between them, or a regular expression";

/// `--beam`, `--length-penalty`, `--beam-rules`, `--patience`, `--max-length-factor`, `--min-length`,
/// `--no-repeat-ngram-size` and what else tells how translations are searched for.
void add_search_options(Options& options, SearchSettings& search);

/// What the command line says of samples.
struct SamplingOptions {
  bool is_on = false;
  SamplingSettings settings;
};

/// `--sample` and its distribution and seed.
void add_sampling_options(Options& options, SamplingOptions& sampling);

}  // namespace nmt
