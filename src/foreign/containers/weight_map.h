// The index of a model divided into several files ("shards"), as JSON:
// {"metadata": {...}, "weight_map": {"tensor": "file", ...}}
#pragma once

#include <map>
#include <string>

namespace nmt {

/// Returns the files of the index `path` by tensor name. Throws Error if it cannot be read, is not such an
/// index, or names a file outside of its folder.
std::map<std::string, std::string> read_weight_map(const std::string& path);

}  // namespace nmt
