#include "cli/command.h"

namespace nmt::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {};
  return table;
}

}  // namespace nmt::cli
