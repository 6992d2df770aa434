#include "train/stage.h"

#include "common/io/checksum.h"

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
