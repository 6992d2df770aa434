// The input file of a loader.
#pragma once

#include "common/temporary_folder.h"

namespace nmt::fuzz {

/// Writes a file that exists until the next one of this name or the end of the process; returns its path.
inline std::string scratch_file(const std::string& name, const std::string& bytes) {
  static const TemporaryFolder folder;
  return folder.write(name, bytes);
}

}  // namespace nmt::fuzz
