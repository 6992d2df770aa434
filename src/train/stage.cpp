#include "train/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/error.h"
#include "common/io/checksum.h"
#include "common/text/spelling.h"

namespace nmt {

std::uint64_t fingerprint_of(const std::vector<TrainingStage>& stages) {
  if (stages.size() == 1) return stages.front().corpus->fingerprint();
  Checksum checksum;
  for (const TrainingStage& stage : stages) {
    const std::uint64_t corpus = stage.corpus->fingerprint();
    checksum.add(&corpus, sizeof corpus).add(stage.end);
  }
  return checksum.value();
}

std::vector<StageRecord> records_of(const std::vector<TrainingStage>& stages) {
  std::vector<StageRecord> records;
  for (const TrainingStage& stage : stages) {
    if (!stage.name.empty()) records.push_back({stage.name, stage.settings});
  }
  return records;
}

namespace {

std::string names_in(const std::vector<StageRecord>& stages) {
  std::vector<std::string> names;
  for (const StageRecord& stage : stages) names.push_back(stage.name);
  return names.empty() ? "none" : join(names, ", ");
}

}  // namespace

std::vector<std::string> changes_of_stages(const std::vector<StageRecord>& before,
                                           const std::vector<StageRecord>& now, const std::string& run) {
  constexpr const char* kAdvice = "choose another directory, or --overwrite to start again";
  if (!std::ranges::equal(before, now, {}, &StageRecord::name, &StageRecord::name)) {
    throw UsageError("the run in '{}' has the stages {}, not {}; give these stages, {}", run,
                     names_in(before), names_in(now), kAdvice);
  }
  std::vector<std::string> changes;
  for (std::size_t i = 0; i < now.size(); ++i) {
    std::set<std::string> names;
    for (const StageSettings* settings : {&before[i].settings, &now[i].settings}) {
      for (const auto& [name, value] : *settings) names.insert(name);
    }
    for (const std::string& name : names) {
      const auto value_in = [&name](const StageSettings& settings) {
        const auto found = settings.find(name);
        return found == settings.end() ? std::string("none") : quoted(found->second);
      };
      const std::string was = value_in(before[i].settings), is = value_in(now[i].settings);
      if (was == is) continue;
      if (name != kStageLearningRate && name != kStageBatchTokens) {
        throw UsageError("stage {}: the run in '{}' has {} {}, not {}; restore it, {}", quoted(now[i].name),
                         run, name, was, is, kAdvice);
      }
      changes.push_back(
          fmt::format("{} of stage {} changed from {} to {}", name, quoted(now[i].name), was, is));
    }
  }
  return changes;
}

Progress StagePlace::since(const Progress& now) const {
  return {.updates = now.updates - begin.updates,
          .epochs = now.epochs - begin.epochs,
          .minutes = now.minutes - begin.minutes,
          .target_tokens = now.target_tokens - begin.target_tokens};
}

bool is_over(const TrainingStage& stage, const StagePlace& place, const Progress& now, std::int64_t stalled) {
  const bool is_long_enough =
      stage.until.amount > 0 && amount_of(place.since(now), stage.until.unit) >= stage.until.amount;
  return is_long_enough || (stage.stalled > 0 && stalled >= stage.stalled);
}

}  // namespace nmt
