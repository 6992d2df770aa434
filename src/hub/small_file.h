// The small text files of the Hub: tokens and references.
#pragma once

#include <optional>
#include <string>

namespace nmt {

/// Returns the first word of a text file. Nothing if the file is not a regular one that can be read, or is
/// larger than 4 KiB: devices, pipes and folders have neither a token nor a commit, and may never end.
std::optional<std::string> first_word_of(const std::string& path);

}  // namespace nmt
