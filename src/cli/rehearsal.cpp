#include "cli/rehearsal.h"

#include "data/batches.h"
#include "train/micro_batch.h"

namespace nmt {
namespace {

/// The number of weights, and of those of each part.
std::string weights(const Parameters& parameters) {
  std::string text = fmt::format("# {} weights:", parameters.count());
  for (const auto& [name, count] : parameters.count_by_part()) text += fmt::format(" {} {}", name, count);
  return text + "\n";
}

std::string memory(const TrainOptions& t, const Parameters& parameters, const Backend& backend) {
  const TrainingSettings& s = t.training;
  const std::size_t copies = s.ema > 0 ? 6 : 4;  // values, gradients, two moments; the average and its spare
  const std::size_t fixed =
      copies * static_cast<std::size_t>(parameters.values().size()) * size_of(backend.precision().master);
  const std::size_t activations =
      activation_bytes(t.model, s.dropout, backend.precision(), s.micro_batch_tokens, t.filter.max_length);
  return fmt::format(
      "# memory: {} MiB of weights, gradients and moments, up to {} MiB of activations for {} tokens at "
      "once; "
      "{} MiB free\n",
      fixed >> 20, activations >> 20, s.micro_batch_tokens, backend.free_memory() >> 20);
}

std::string batches(const TrainOptions& t, const Corpus& corpus) {
  BatchStream stream(corpus, {.batch_tokens = t.training.batch_tokens,
                              .seed = t.training.seed,
                              .first_pool = StreamSettings{}.pool});  // as in all passes but the first
  std::int64_t count = 0, pairs = 0;
  BatchSize size;
  do {
    const Batch batch = stream.next();
    ++count;
    pairs += std::ssize(batch.examples);
    size += size_of(batch);
  } while (stream.position().pool == 0 && stream.epochs_finished() == 0);
  const double padding = 1 - static_cast<double>(size.source + size.target) /
                                 static_cast<double>(size.padded_source + size.padded_target);
  return fmt::format(
      "# batches: {} pairs in all; the first {} make {} updates of {} target tokens on average, padding "
      "{:.1f} %\n",
      corpus.size(), pairs, count, size.target / count, 100 * padding);
}

}  // namespace

std::string rehearsal(const std::string& config, const TrainOptions& t, const SavedModel& model,
                      const Backend& backend, const Corpus& corpus) {
  const Parameters& parameters = model.model->parameters();
  return config + weights(parameters) + memory(t, parameters, backend) + batches(t, corpus);
}

}  // namespace nmt
