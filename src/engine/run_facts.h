// What all ranks of a training run need to have the same.
#pragma once

#include <optional>
#include <string>

#include "data/corpus.h"
#include "nn/files/saved_model.h"
#include "ranks/agreement.h"
#include "train/validator.h"

namespace nmt {

/// The settings of `config` (resolved, without paths) but the number of threads, the device, and fingerprints
/// of all that is read from files: text, vocabularies, and what the run begins with, which is its state, or
/// else its weights.
RunFacts run_facts(const std::string& config, const SavedModel& model, Backend& backend, const Corpus& corpus,
                   const std::optional<ValidationText>& validation, const std::optional<ModelFile>& state);

}  // namespace nmt
