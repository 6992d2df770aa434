// The files of a repository that make up a model.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// Returns the names of those `files` of a repository that a model needs, in the order in which they are
/// fetched: its settings, its vocabularies, and last its weights in one form, safetensors before pickles.
/// Empty if the repository has no weights that can be read, or lacks parts of them.
std::vector<std::string> needed_files(const std::vector<std::string>& files);

}  // namespace nmt
