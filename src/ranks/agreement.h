// Checks that all ranks of a run were started with the same settings.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tensor/communicator.h"

namespace nmt {

/// Names and values that must be equal on all ranks of a run.
using RunFacts = std::vector<std::pair<std::string, std::string>>;

/// Throws UsageError, the same on all ranks, naming the first rank (of `names`) whose facts differ from those
/// of rank 0, and the difference. Names and values must not contain tabs or line breaks.
void check_agreement(ProcessGroup& group, const std::vector<std::string>& names, const RunFacts& facts);

}  // namespace nmt
