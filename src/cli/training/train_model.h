// The model that nmt train starts with.
#pragma once

#include <optional>

#include "cli/training/train_options.h"
#include "data/packed/packed_corpus.h"
#include "nn/saved/saved_model.h"

namespace nmt {

/// Returns the model that the settings ask for, on `backend` with gradients (for --dry-run without allocating
/// memory): the model of a continued run (`state`; its weights are loaded later), the model of
/// --from-weights, or a new one with random weights. `packed`: a corpus of --train, whose vocabularies it
/// must have. Completes settings in `t` that follow from the model: those of its configuration, and for
/// --from-weights without --preset the recipe. Throws UsageError for settings that contradict the model.
SavedModel model_to_train(Options& options, TrainOptions& t, const std::optional<ModelFile>& state,
                          const PackedCorpus* packed, Backend& backend);

}  // namespace nmt
