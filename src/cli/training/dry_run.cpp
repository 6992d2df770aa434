#include "cli/training/dry_run.h"

#include "common/process/resources.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "data/batches/batches.h"

namespace nmt {
namespace {

/// Returns the number of all weights, and of each part.
std::string weights(const Parameters& parameters) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : parameters.count_by_part())
    parts.push_back(fmt::format("{} {}", name, count));
  return fmt::format("# weights: {} ({})\n", parameters.count(), join(parts, ", "));
}

std::string memory_text(const TrainingMemory& memory) {
  const auto& [micro_batch_tokens, need, free_bytes] = memory;
  const std::size_t now = resident_bytes() + need.present;  // as if the weights were in memory
  std::string text = fmt::format(
      "# memory: {} MiB at the peak with {} tokens at once; {} MiB before training, with {} MiB free\n",
      (now + need.to_come()) >> 20, micro_batch_tokens, now >> 20, free_bytes >> 20);
  for (const auto& [name, mebibytes] : need.parts())
    text += fmt::format("#   {:>6} MiB  {}\n", mebibytes, name);
  const std::size_t most = need.without_translation().to_come();
  if (most > free_bytes) {
    text += fmt::format("# this run will not start: it needs {} MiB more than the machine has\n",
                        (most - free_bytes) >> 20);
  }
  return text;
}

std::string batches(const TrainingSettings& settings, const Corpus& corpus) {
  BatchStream stream(corpus, {.batch_tokens = settings.batch_tokens,
                              .seed = settings.seed,
                              .first_pool = StreamSettings{}.pool,  // as in all passes but the first
                              .delay = settings.delay});
  std::int64_t count = 0, pairs = 0;
  BatchSize size;
  do {
    const Batch batch = stream.next();
    ++count;
    pairs += std::ssize(batch.examples);
    size += stream.size();
  } while (stream.position().pool == 0 && stream.epochs_finished() == 0);
  const double padding = 1 - static_cast<double>(size.source + size.target) /
                                 static_cast<double>(size.padded_source + size.padded_target);
  return fmt::format("# batches: {}; the first {} pairs make {} of {} on average, with {:.1f} % padding\n",
                     corpus.description(), pairs, count_of(count, "update"),
                     count_of(size.target / count, "target token"), 100 * padding);
}

}  // namespace

std::string dry_run_text(const std::string& config, const TrainingPlan& plan, const TrainingMemory& memory,
                         const std::string& ranks) {
  std::string text = config;
  if (const std::string& chosen = plan.settings_from_corpus(); !chosen.empty())
    text += fmt::format("# settings that follow from the texts: {}\n", with_options(chosen));
  text += weights(plan.model().model->parameters()) + memory_text(memory) +
          batches(plan.settings(), plan.corpus());
  if (!ranks.empty())
    text += fmt::format("# each update is partitioned over {}; the memory is that of each rank\n", ranks);
  return text;
}

}  // namespace nmt
