// Whether all ranks of a run were started alike.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tensor/process_group.h"

namespace nmt {

/// What a run depends on: names, and what is to be the same everywhere.
using RunFacts = std::vector<std::pair<std::string, std::string>>;

/// Throws UsageError, on all ranks the same, that tells which of `names` differs first from rank 0, and in
/// what. Neither names nor values hold tabs or line ends.
void check_agreement(ProcessGroup& group, const std::vector<std::string>& names, const RunFacts& facts);

}  // namespace nmt
