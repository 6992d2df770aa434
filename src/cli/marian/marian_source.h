// --marian-config: a configuration of Marian as a source of settings.
#pragma once

#include <string>
#include <vector>

#include "cli/marian/marian_option.h"
#include "cli/options/options.h"

namespace nmt {

/// What is asked for, and what came of it.
struct MarianSource {
  std::vector<std::string> files;  // later over earlier
  bool ignores_unmapped = false;
  std::vector<std::string> idle;     // options without a counterpart, without which the same is done
  std::vector<std::string> ignored;  // such without which something else is done
  std::vector<std::string> notes;    // what is done another way with the same purpose
};

/// `--marian-config`, which gives settings as the program of Marian takes them from the same file, and
/// `--ignore-unmapped`. What the file leaves out has Marian's defaults, but for those of the machine
/// (devices, threads, types of numbers) and those that the tables call idle. Where something without a
/// counterpart changes what comes out, parsing throws UsageError that names all of it, unless it is to be
/// ignored.
void add_marian_options(Options& options, MarianSource& target, MarianProgram program);

/// Says what is done another way, a line for each option, and warns once of all that has been left out.
void warn_of_left_out(const MarianSource& source);

}  // namespace nmt
