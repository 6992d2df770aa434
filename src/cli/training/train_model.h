// The model that a run of nmt train begins with.
#pragma once

#include <optional>

#include "cli/training/train_options.h"
#include "data/packed/packed_corpus.h"
#include "nn/files/saved_model.h"

namespace nmt {

/// The model that the settings ask for, on `backend` with gradients (for --dry-run without memory for any of
/// it): that of a run that goes on (`state`; its
/// weights are yet to be loaded), that of --from-weights, or a new one with weights drawn at random.
/// `packed`: a corpus of --train, whose vocabularies it must have. Settings that follow from the model are
/// completed in `t`: those of its configuration, and for --from-weights without --preset the recipe. Throws
/// UsageError for those that contradict it.
SavedModel model_to_train(Options& options, TrainOptions& t, const std::optional<ModelFile>& state,
                          const PackedCorpus* packed, Backend& backend);

}  // namespace nmt
