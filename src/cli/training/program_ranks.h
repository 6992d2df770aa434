// The processes that train together, if a launcher has started several.
#pragma once

#include "ranks/launched_ranks.h"

namespace nmt {

/// Returns the ranks of this process, which joins them on the first call until it ends; null if it is alone.
/// On all ranks but the first, errors are sent to the first one, and nothing else is logged. Throws as
/// LaunchedRanks::join() does.
LaunchedRanks* program_ranks();

}  // namespace nmt
