// What the emulator of cards has launched.
#pragma once

#include <dlfcn.h>

#include <cstdint>

#include "backend/devices.h"

namespace nmt::testing {

/// What tells how many graphs the emulator in the library of the CUDA backend has launched; nullptr where a
/// card is in its place, which does not tell. The library is open.
inline std::int64_t (*launches_of_emulator())() {
  void* library = dlopen(cuda_library().c_str(), RTLD_LAZY | RTLD_NOLOAD);
  return reinterpret_cast<std::int64_t (*)()>(dlsym(library, "simt_graph_launches"));
}

}  // namespace nmt::testing
