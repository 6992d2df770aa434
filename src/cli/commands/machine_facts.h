// Facts about this machine and this build.
#pragma once

#include "cli/commands/facts.h"

namespace nmt {

/// Returns version, commit, compiler, and kind of build.
Facts build_facts();

/// Returns the facts of the build, the processor, instruction sets, cores, memory, devices, and the versions
/// of libraries.
Facts machine_facts();

}  // namespace nmt
