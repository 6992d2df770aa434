#include "train/micro_batch.h"

#include <algorithm>

#include "backend/measure/measure.h"
#include "common/log.h"
#include "optim/update.h"

namespace nmt {

std::size_t activation_bytes(const ModelSettings& settings, const DropoutRates& dropout,
                             const Precision& precision, std::int64_t tokens, std::int64_t length) {
  MeasureBackend backend(precision);
  const std::unique_ptr<Model> model = ModelRegistry::instance().make(settings);
  model->parameters().allocate(backend, true);
  const std::int64_t ids = std::max<std::int64_t>(length, 2) - 1;  // and the mark
  const Example example{0, std::vector<int>(static_cast<std::size_t>(ids)),
                        std::vector<int>(static_cast<std::size_t>(ids))};
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(tokens / (ids + 1), 1));
  Arena arena(backend);
  Update update(*model, backend, arena, Marks{}, {.dropout = dropout});
  update.gradients({Batch{std::vector<Example>(count, example)}}, 0, 0);
  return arena.high_water();
}

std::int64_t micro_batch_that_fits(const ModelSettings& settings, const DropoutRates& dropout,
                                   const Precision& precision, std::size_t free_bytes,
                                   std::int64_t batch_tokens, std::int64_t max_length) {
  std::int64_t tokens = batch_tokens;
  while (tokens > max_length) {
    // Long sentences take the most for attention, short ones for everything counted by the sentence.
    const std::size_t bytes = std::max(activation_bytes(settings, dropout, precision, tokens, max_length),
                                       activation_bytes(settings, dropout, precision, tokens, 10));
    log_verbose("micro-batches of {} tokens need {} MiB of {} MiB", tokens, bytes >> 20, free_bytes >> 20);
    if (bytes <= free_bytes / 2) return tokens;
    tokens = (tokens + 1) / 2;
  }
  return max_length;
}

}  // namespace nmt
