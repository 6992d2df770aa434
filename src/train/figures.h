// The measurements in the lines of metrics.jsonl.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace nmt {

/// Returns the figures of a line: its numbers by name, except those that describe the progress of the run
/// (step, epoch, source_tokens, target_tokens, seconds).
std::vector<std::pair<std::string, double>> figures_of(const nlohmann::ordered_json& line);

}  // namespace nmt
