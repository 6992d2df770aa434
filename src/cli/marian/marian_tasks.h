// The presets of Marian.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace nmt {

/// Returns the options, with their values, that each `--task` of Marian 1.12 stands for, by task name.
const std::map<std::string, std::map<std::string, std::vector<std::string>>>& marian_tasks();

}  // namespace nmt
