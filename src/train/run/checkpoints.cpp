#include "train/run/checkpoints.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/error.h"
#include "common/io/text_reader.h"
#include "common/text/number.h"
#include "common/text/plural.h"
#include "train/run/best.h"
#include "train/run/run_directory.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::ordered_json;

/// Calls take(step, figures) for each validation in metrics.jsonl. The last line may be half written when
/// training was killed.
template <class Take>
void for_each_validation(const std::string& directory, Take take) {
  for (const std::string& line : read_lines(RunDirectory::metrics_path(directory))) {
    const auto entry = Json::parse(line, nullptr, false);
    if (!entry.is_object() || entry.value("event", Json()) != "valid") continue;
    const auto step = entry.find("step");
    if (step != entry.end() && step->is_number_integer()) take(step->template get<std::int64_t>(), entry);
  }
}

/// The values of a figure by step.
std::map<std::int64_t, double> validations(const std::string& directory, const std::string& figure) {
  std::map<std::int64_t, double> values;
  for_each_validation(directory, [&](std::int64_t step, const Json& entry) {
    const auto value = entry.find(figure);
    if (value != entry.end() && value->is_number()) values[step] = value->get<double>();
  });
  return values;
}

/// Throws Error when there are too few checkpoints; `kind` tells what they are, `remedy` what helps.
void check_count(std::size_t found, std::size_t wanted, const std::string& directory, const std::string& kind,
                 const std::string& remedy = "ask for fewer, or train with a larger `keep_last`") {
  if (found >= wanted) return;
  throw Error("'{}' holds {}{}, not {}; {}", directory,
              count_of(static_cast<std::int64_t>(found), "checkpoint"), kind, wanted, remedy);
}

}  // namespace

std::optional<std::int64_t> checkpoint_step(std::string_view name) {
  constexpr std::string_view kBefore = "step-", kAfter = ".safetensors";
  if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) return std::nullopt;
  name.remove_prefix(kBefore.size());
  name.remove_suffix(kAfter.size());
  return number_of<std::int64_t>(name);
}

std::vector<Checkpoint> checkpoints_in(const std::string& directory) {
  std::vector<Checkpoint> checkpoints;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
      const std::string name = entry.path().filename().string();
      if (const auto step = checkpoint_step(name)) checkpoints.push_back({*step, entry.path().string()});
    }
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot read the run directory '{}': {}", directory, error.code().message());
  }
  std::sort(checkpoints.begin(), checkpoints.end(),
            [](const Checkpoint& a, const Checkpoint& b) { return a.step < b.step; });
  return checkpoints;
}

std::vector<Checkpoint> newest_checkpoints(const std::string& directory, std::size_t count) {
  std::vector<Checkpoint> checkpoints = checkpoints_in(directory);
  check_count(checkpoints.size(), count, directory, "");
  checkpoints.erase(checkpoints.begin(), checkpoints.end() - static_cast<std::ptrdiff_t>(count));
  return checkpoints;
}

std::vector<Checkpoint> best_checkpoints(const std::string& directory, std::size_t count,
                                         const std::string& figure) {
  const std::map<std::int64_t, double> values = validations(directory, figure);
  std::vector<Checkpoint> checkpoints = checkpoints_in(directory);
  std::erase_if(checkpoints, [&](const Checkpoint& c) { return !values.contains(c.step); });
  const std::string kind = " validated by " + figure;
  if (values.empty() && (is_metric(figure) || figure == kCommandFigure)) {
    check_count(0, count, directory, kind,
                fmt::format("ask by another figure, or train with {}",
                            is_metric(figure) ? "it among `valid_metrics`" : "`valid_command`"));
  }
  check_count(checkpoints.size(), count, directory, kind);
  BestValidations best(figure, static_cast<std::int64_t>(count));
  for (const Checkpoint& checkpoint : checkpoints) best.add(checkpoint.step, values.at(checkpoint.step));
  std::set<std::int64_t> chosen;
  for (const BestValidations::Entry& entry : best.entries()) chosen.insert(entry.step);
  std::erase_if(checkpoints, [&](const Checkpoint& c) { return !chosen.contains(c.step); });
  return checkpoints;
}

std::optional<nlohmann::ordered_json> validation_of(const std::string& directory, std::int64_t step) {
  std::error_code ignored;  // what cannot be looked at is not there
  if (!fs::exists(RunDirectory::metrics_path(directory), ignored)) return std::nullopt;
  std::optional<Json> found;
  for_each_validation(directory, [&](std::int64_t validated, const Json& entry) {
    if (validated == step) found = entry;
  });
  return found;
}

}  // namespace nmt
