#include "engine/training_memory.h"

#include <algorithm>
#include <string>

#include "tensor/communicator.h"

namespace nmt {
namespace {

/// Returns the smallest number of all ranks.
std::int64_t least(ProcessGroup& group, std::int64_t number) {
  for (const std::string& other : all_gather_text(group, std::to_string(number)))
    number = std::min<std::int64_t>(number, std::stoll(other));
  return number;
}

/// Returns the bytes that are free beside the weights, which may not be in memory yet.
std::size_t bytes_beside_weights(const SavedModel& model, const DeviceRanks& ranks) {
  const std::size_t free = ranks.free_memory();
  if (model.model->has_training_weights()) return free;
  return free - std::min(free, bytes_of_weights(model.settings, ranks.first()));
}

}  // namespace

TrainingMemory training_memory(const TrainingPlan& plan, DeviceRanks& ranks) {
  const RunShape shape = plan.shape(ranks.count());
  TrainingMemory memory{.micro_batch_tokens = plan.settings().micro_batch_tokens,
                        .need = {},
                        .free_bytes = bytes_beside_weights(plan.model(), ranks)};
  if (memory.micro_batch_tokens == 0) {
    const std::int64_t most = std::min(plan.settings().batch_tokens, shape.batch_tokens);
    memory.micro_batch_tokens =
        least(ranks.processes(),
              micro_batch_that_fits(shape, ranks.first(), memory.free_bytes, most, *plan.job().log));
  }
  memory.need = memory_need(shape, ranks.first(), memory.micro_batch_tokens);
  return memory;
}

}  // namespace nmt
