// Long texts for tests.
#pragma once

#include <string>

namespace nmt::testing {

inline std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace nmt::testing
