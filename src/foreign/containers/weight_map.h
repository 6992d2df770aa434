// Which file of a folder has which tensor, where a model is divided into several ("shards"): JSON,
//   {"metadata": {...}, "weight_map": {"tensor": "file", ...}}
#pragma once

#include <map>
#include <string>

namespace nmt {

/// The files of `path`, an index, by the names of their tensors. Throws Error when it cannot be read, is no
/// such index, or names a file that does not lie beside it.
std::map<std::string, std::string> read_weight_map(const std::string& path);

}  // namespace nmt
