// Options for the languages of texts.
#pragma once

#include <string>

#include "cli/options/options.h"
#include "data/vocabulary/languages.h"

namespace nmt {

/// Adds `--source-language` and `--target-language`. Opening a model checks whether it knows them.
void add_language_options(Options& options, Languages& target, const std::string& group = "options");

}  // namespace nmt
