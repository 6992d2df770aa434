// The processes that train together, where a launcher has started this one among others.
#pragma once

#include "ranks/launched_ranks.h"

namespace nmt {

/// Those that this process is one of, joined when this is first called, until it ends; nullptr where it is
/// alone. On all but the first one, errors go to that, and nothing else is logged. Throws as
/// LaunchedRanks::join().
LaunchedRanks* program_ranks();

}  // namespace nmt
