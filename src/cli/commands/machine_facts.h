// What this machine and this build can do.
#pragma once

#include "cli/commands/facts.h"

namespace nmt {

/// Version, compiler, processor, instruction sets, cores, memory, devices, and the versions of libraries.
Facts machine_facts();

}  // namespace nmt
