// What must hold whatever a file says.
#pragma once

#include <stdexcept>

namespace nmt::fuzz {

/// Throws std::logic_error, which no target lets pass for a refusal.
inline void check(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace nmt::fuzz
