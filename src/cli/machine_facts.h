// What this machine and this build can do.
#pragma once

#include "cli/facts.h"

namespace nmt::cli {

/// Version, compiler, processor, instruction sets, cores, memory, devices, and the versions of libraries.
Facts machine_facts();

}  // namespace nmt::cli
