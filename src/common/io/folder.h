// Contents of folders.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// Returns the paths of a folder's entries in any order; none if it is not a readable folder.
std::vector<std::string> entries_of(const std::string& folder);

/// Returns the folder of a path, "." for a bare name.
std::string parent_folder(const std::string& path);

/// Syncs a folder's entries to disk, so that a new file keeps its name after a power failure. Does nothing if
/// the file system does not support it.
void sync_folder(const std::string& folder);

}  // namespace nmt
