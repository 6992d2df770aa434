// The subcommands of nmt: one file each, listed in one table.
#pragma once

#include <string>
#include <vector>

namespace nmt::cli {

using Arguments = std::vector<std::string>;

/// A subcommand: takes what stands behind its name and returns the exit code; errors are exceptions.
struct Command {
  const char* name;
  const char* summary;
  int (*run)(const Arguments&);
};

int run_train(const Arguments& arguments);

/// All subcommands in the order in which `nmt` lists them.
const std::vector<Command>& commands();

}  // namespace nmt::cli
