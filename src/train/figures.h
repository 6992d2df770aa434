// What the lines of metrics.jsonl measure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace nmt {

/// The figures of a line: its numbers by name, except those that tell where the run was (step, epoch,
/// source_tokens, target_tokens, seconds).
std::vector<std::pair<std::string, double>> figures_of(const nlohmann::ordered_json& line);

}  // namespace nmt
