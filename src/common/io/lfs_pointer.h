// Pointers that Git LFS puts in place of large files until `git lfs pull` downloads them.
#pragma once

#include <string>
#include <string_view>

#include "common/error.h"

namespace nmt {

/// The beginning of every Git LFS pointer.
inline constexpr std::string_view kLfsPointer = "version https://git-lfs.github.com/spec/";

/// Throws Error if `beginning` is the beginning of a Git LFS pointer. `name`: the file's name for messages.
inline void refuse_lfs_pointer(std::string_view beginning, const std::string& name) {
  if (!beginning.starts_with(kLfsPointer)) return;
  throw Error(
      "'{}' is only a pointer of Git LFS to the file, which has not been downloaded; run 'git lfs pull' in "
      "its repository",
      name);
}

}  // namespace nmt
