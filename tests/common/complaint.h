// Messages of exceptions.
#pragma once

#include <string>

#include "common/error.h"

namespace nmt::testing {

/// Returns the message of the E that `act` throws; "" if it throws nothing.
template <class E = Error, class Act>
std::string complaint(const Act& act) {
  try {
    act();
    return "";
  } catch (const E& error) {
    return error.what();
  }
}

}  // namespace nmt::testing
