// Models written by other toolkits, which are not in the repository.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace nmt::testing {

/// Returns the path of `name` among the foreign models in the folder NMT_REFERENCE_DATA; "" if it does not
/// exist.
inline std::string foreign_model(const std::string& name) {
  const char* data = std::getenv("NMT_REFERENCE_DATA");
  const std::string path = data == nullptr ? "" : std::string(data) + "/foreign/" + name;
  return std::filesystem::exists(path) ? path : "";
}

}  // namespace nmt::testing

/// Sets `path` to a foreign model, or skips the test.
#define NMT_FOREIGN_MODEL(path, name)                         \
  const std::string path = nmt::testing::foreign_model(name); \
  if (path.empty()) GTEST_SKIP() << "NMT_REFERENCE_DATA names no folder with foreign/" name
