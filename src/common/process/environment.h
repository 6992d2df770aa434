// Numbers from environment variables, for rare settings and tests.
#pragma once

#include <cstdlib>
#include <string_view>

#include "common/error.h"
#include "common/text/number.h"

namespace nmt {

/// Returns the number in the environment variable `name`, from 1 to a million, or `otherwise` if it is not
/// set; `unit` is what it counts. Throws UsageError for any other value.
inline int number_from_environment(const char* name, const char* unit, int otherwise) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return otherwise;
  constexpr int kMost = 1'000'000;
  const std::string_view text = value;
  const int number = number_of<int>(text).value_or(0);
  if (number < 1 || number > kMost)
    throw UsageError("{} is '{}': it takes a number of {} from 1 to {}", name, text, unit, kMost);
  return number;
}

}  // namespace nmt
