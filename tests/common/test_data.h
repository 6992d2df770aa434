// The location of files with expected results.
#pragma once

#include <cstdlib>
#include <string>

namespace nmt::testing {

/// Returns the path of a file of tests/data, which may be elsewhere according to the environment variable
/// NMT_TEST_DATA.
inline std::string test_data(const std::string& name) {
  const char* moved = std::getenv("NMT_TEST_DATA");
  return std::string(moved != nullptr ? moved : NMT_TEST_DATA) + "/" + name;
}

}  // namespace nmt::testing
