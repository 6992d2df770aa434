// The cores of the machine.
#pragma once

namespace nmt {

/// Returns the number of cores that this process may run on, at least 1; respects CPU affinity.
int cores_available();

}  // namespace nmt
