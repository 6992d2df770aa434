// What this machine and this build can do.
#pragma once

#include "cli/commands/facts.h"

namespace nmt {

/// Version, commit, compiler, and the kind of build.
Facts build_facts();

/// Those of the build, processor, instruction sets, cores, memory, devices, and the versions of libraries.
Facts machine_facts();

}  // namespace nmt
