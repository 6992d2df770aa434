// Pointers that Git leaves in the place of large files until `git lfs pull` fetches these.
#pragma once

#include <string>
#include <string_view>

#include "common/error.h"

namespace nmt {

/// What a pointer of Git LFS begins with.
inline constexpr std::string_view kLfsPointer = "version https://git-lfs.github.com/spec/";

/// Throws Error where a file that begins so is such a pointer. `name`: what messages call the file.
inline void refuse_lfs_pointer(std::string_view beginning, const std::string& name) {
  if (!beginning.starts_with(kLfsPointer)) return;
  throw Error(
      "'{}' is only a pointer of Git LFS to the file, which has not been downloaded; run 'git lfs pull' in "
      "its repository",
      name);
}

}  // namespace nmt
