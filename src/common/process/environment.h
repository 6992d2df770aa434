// Numbers that the environment sets: what few people need, and tests.
#pragma once

#include <cstdlib>
#include <string_view>

#include "common/error.h"
#include "common/text/number.h"

namespace nmt {

/// The seconds that the variable `name` of the environment says, from 1 to a million, or `otherwise` where it
/// is not set. Throws UsageError if it says something else.
inline int seconds_from_environment(const char* name, int otherwise) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return otherwise;
  constexpr int kMost = 1'000'000;
  const std::string_view text = value;
  const int seconds = number_of<int>(text).value_or(0);
  if (seconds < 1 || seconds > kMost)
    throw UsageError("{} is '{}': it takes a number of seconds from 1 to {}", name, text, kMost);
  return seconds;
}

}  // namespace nmt
