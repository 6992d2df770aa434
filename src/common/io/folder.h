// What is in a folder.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// The paths of what is in a folder, in any order; nothing of what is none, or cannot be looked at.
std::vector<std::string> entries_of(const std::string& folder);

/// The folder that a path is in, "." for a name alone.
std::string parent_folder(const std::string& path);

/// Puts the names in a folder on disk, so that a file that got its name there has it after a power failure.
/// Does nothing where the file system cannot.
void sync_folder(const std::string& folder);

}  // namespace nmt
