// Counts what the GPU emulator has launched.
#pragma once

#include <dlfcn.h>

#include <cstdint>

#include "backend/devices.h"

namespace nmt::testing {

/// Returns a function that returns how many graphs the emulator in the library of the CUDA backend has
/// launched; null for a real GPU, which does not count. The library must be open.
inline std::int64_t (*launches_of_emulator())() {
  void* library = dlopen(cuda_library().c_str(), RTLD_LAZY | RTLD_NOLOAD);
  return reinterpret_cast<std::int64_t (*)()>(dlsym(library, "simt_graph_launches"));
}

}  // namespace nmt::testing
