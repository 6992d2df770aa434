// The languages of texts, for commands that give them to models.
#pragma once

#include <string>

#include "cli/options/options.h"
#include "data/vocabulary/languages.h"

namespace nmt {

/// `--source-language` and `--target-language`. Whether models know them is seen when they are opened.
void add_language_options(Options& options, Languages& target, const std::string& group = "options");

}  // namespace nmt
