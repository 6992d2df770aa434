// The presets of Marian.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace nmt {

/// What each `--task` of Marian 1.12 stands for, by name: options with their values.
const std::map<std::string, std::map<std::string, std::vector<std::string>>>& marian_tasks();

}  // namespace nmt
