// Files beside the repository that tests compare with where they are there.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace nmt::testing {

/// The path of a file or folder in the folder that NMT_REFERENCE_DATA names; empty where it is not there.
inline std::string reference_data(const std::string& name) {
  const char* folder = std::getenv("NMT_REFERENCE_DATA");
  std::string path = folder == nullptr ? "" : std::string(folder) + "/" + name;
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path : "";
}

/// All bytes of a file.
inline std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace nmt::testing
