// --marian-config: a Marian configuration as a source of settings.
#pragma once

#include <string>
#include <vector>

#include "cli/marian/marian_option.h"
#include "cli/options/options.h"

namespace nmt {

/// The files of --marian-config, and what their conversion left out.
struct MarianSource {
  std::vector<std::string> files;  // later files override earlier ones
  bool ignores_unmapped = false;
  std::vector<std::string> idle;     // options without a counterpart that do not change the result
  std::vector<std::string> ignored;  // options without a counterpart that change the result
  std::vector<std::string> notes;    // options that are followed in another way with the same purpose
};

/// Adds `--marian-config`, which gives the settings that Marian's program takes from the same file, and
/// `--ignore-unmapped`. Options that the file leaves out have Marian's defaults, except for those of the
/// machine (devices, threads, number formats) and those that the tables call idle. If options without a
/// counterpart change the result, parsing throws UsageError that names all of them, unless they are to be
/// ignored.
void add_marian_options(Options& options, MarianSource& target, MarianProgram program);

/// Logs one line per option that is followed in another way, and one warning that names all options left out.
void warn_of_left_out(const MarianSource& source);

}  // namespace nmt
