// Keys of texts in JSON and YAML.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// Whether one of `patterns` matches the keys that lead to a text, from the outermost one; items of lists
/// have no keys. A pattern is keys with dots between them, of which "*" stands for any key, and matches the
/// last keys: "title" matches a.title, and "menu.*" matches menu.a. A key with dots counts as several keys.
/// Without patterns, all keys match.
bool matches_key(const std::vector<std::string>& patterns, const std::vector<std::string>& keys);

}  // namespace nmt
