// What all ranks of a training run must have in common.
#pragma once

#include <optional>
#include <string>

#include "data/corpus.h"
#include "nn/saved/saved_model.h"
#include "ranks/agreement.h"
#include "train/validator.h"

namespace nmt {

/// Returns the settings of `config` (complete, without paths) except the number of threads and the device,
/// and fingerprints of everything that is read from files: text, vocabularies, and the state or else the
/// weights that the run begins with.
RunFacts run_facts(const std::string& config, const SavedModel& model, Backend& backend, const Corpus& corpus,
                   const std::optional<ValidationText>& validation, const std::optional<ModelFile>& state);

}  // namespace nmt
