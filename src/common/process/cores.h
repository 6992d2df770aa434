// The cores of the machine.
#pragma once

namespace nmt {

/// How many cores this process may run on, at least 1: as it was bound to, or all there are.
int cores_available();

}  // namespace nmt
