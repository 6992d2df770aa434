#include "train/checkpoints.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "common/error.h"
#include "common/text_reader.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

/// The N of step-N.safetensors.
std::optional<std::int64_t> step_of(std::string_view name) {
  constexpr std::string_view before = "step-", after = ".safetensors";
  if (!name.starts_with(before) || !name.ends_with(after)) return std::nullopt;
  const char* begin = name.data() + before.size();
  const char* end = name.data() + name.size() - after.size();
  std::int64_t step = 0;
  const auto [rest, error] = std::from_chars(begin, end, step);
  return error == std::errc() && rest == end ? std::optional(step) : std::nullopt;
}

void order_by_step(std::vector<Checkpoint>& checkpoints) {
  std::sort(checkpoints.begin(), checkpoints.end(),
            [](const Checkpoint& a, const Checkpoint& b) { return a.step < b.step; });
}

/// The values of a metric by step. The last line may be half written when training was killed.
std::map<std::int64_t, double> validations(const std::string& directory, const std::string& metric) {
  std::map<std::int64_t, double> values;
  for (const std::string& line : read_lines(directory + "/metrics.jsonl")) {
    const auto entry = nlohmann::json::parse(line, nullptr, false);
    if (!entry.is_object() || entry.value("event", nlohmann::json()) != "valid") continue;
    const auto step = entry.find("step"), value = entry.find(metric);
    if (step == entry.end() || !step->is_number_integer()) continue;
    if (value != entry.end() && value->is_number()) values[step->get<std::int64_t>()] = value->get<double>();
  }
  return values;
}

/// Leaves the last `count`; `kind` tells what they are.
void keep_last(std::vector<Checkpoint>& checkpoints, std::size_t count, const std::string& directory,
               const std::string& kind) {
  if (checkpoints.size() < count) {
    throw Error("'{}' holds {} checkpoints{}, not {}; ask for fewer, or train with a larger --keep-last",
                directory, checkpoints.size(), kind, count);
  }
  checkpoints.erase(checkpoints.begin(), checkpoints.end() - static_cast<std::ptrdiff_t>(count));
}

}  // namespace

std::vector<Checkpoint> checkpoints_in(const std::string& directory) {
  std::vector<Checkpoint> checkpoints;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
      const std::string name = entry.path().filename().string();
      if (const auto step = step_of(name)) checkpoints.push_back({*step, entry.path().string()});
    }
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot read the run directory '{}': {}", directory, error.code().message());
  }
  order_by_step(checkpoints);
  return checkpoints;
}

std::vector<Checkpoint> newest_checkpoints(const std::string& directory, std::size_t count) {
  std::vector<Checkpoint> checkpoints = checkpoints_in(directory);
  keep_last(checkpoints, count, directory, "");
  return checkpoints;
}

std::vector<Checkpoint> best_checkpoints(const std::string& directory, std::size_t count,
                                         const std::string& metric) {
  const std::map<std::int64_t, double> values = validations(directory, metric);
  std::vector<Checkpoint> checkpoints = checkpoints_in(directory);
  std::erase_if(checkpoints, [&](const Checkpoint& c) { return !values.contains(c.step); });
  const double sign = metric == "bleu" ? 1 : -1;
  std::stable_sort(checkpoints.begin(), checkpoints.end(), [&](const Checkpoint& a, const Checkpoint& b) {
    return sign * values.at(a.step) < sign * values.at(b.step);
  });
  keep_last(checkpoints, count, directory, " validated by " + metric);
  order_by_step(checkpoints);
  return checkpoints;
}

}  // namespace nmt
