// The files of a repository that make up a model.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// Returns the names of those `files` of a repository that a model needs, in the order in which they are
/// fetched: its settings, its vocabularies, and last its weights in one form, safetensors before pickles.
/// Empty if the repository has no weights that can be read, or lacks parts of them.
std::vector<std::string> needed_files(const std::vector<std::string>& files);
/// Returns the names of those `files` that describe an encoder like XLM-RoBERTa, or an mT5, and its
/// tokenizer. Empty if the repository has no tokenizer that can be read.
std::vector<std::string> tokenizer_files(const std::vector<std::string>& files);

/// One of these functions.
using NeededFiles = std::vector<std::string> (*)(const std::vector<std::string>& files);

}  // namespace nmt
