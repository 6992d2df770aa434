// The files of a repository that make up a model.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// Returns the names, in the order in which they are fetched, of those `files` of a repository that a model
/// needs: its settings, its vocabularies, and last its weights in one form, safetensors before pickles. Empty
/// if it has no weights that can be read, or not all parts of them.
std::vector<std::string> needed_files(const std::vector<std::string>& files);

}  // namespace nmt
