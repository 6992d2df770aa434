// Conditions that must hold whatever a file contains.
#pragma once

#include <stdexcept>

namespace nmt::fuzz {

/// Throws std::logic_error, which no target accepts as a rejection.
inline void check(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace nmt::fuzz
