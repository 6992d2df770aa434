// Where the files are that tests compare with.
#pragma once

#include <cstdlib>
#include <string>

namespace nmt::testing {

/// The path of a file of tests/data, which the environment variable NMT_TEST_DATA moves to another machine.
inline std::string test_data(const std::string& name) {
  const char* moved = std::getenv("NMT_TEST_DATA");
  return std::string(moved != nullptr ? moved : NMT_TEST_DATA) + "/" + name;
}

}  // namespace nmt::testing
