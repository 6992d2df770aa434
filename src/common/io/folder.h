// What is in a folder.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// The paths of what is in a folder, in any order; nothing of what is none, or cannot be looked at.
std::vector<std::string> entries_of(const std::string& folder);

}  // namespace nmt
