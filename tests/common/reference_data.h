// Reference files outside of the repository, for tests that use them if they exist.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace nmt::testing {

/// Returns the path of a file or folder in the folder NMT_REFERENCE_DATA; empty if it does not exist.
inline std::string reference_data(const std::string& name) {
  const char* folder = std::getenv("NMT_REFERENCE_DATA");
  std::string path = folder == nullptr ? "" : std::string(folder) + "/" + name;
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path : "";
}

/// Returns all bytes of a file.
inline std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace nmt::testing
