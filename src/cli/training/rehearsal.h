// What training would take, without doing it.
#pragma once

#include <string>

#include "cli/training/train_options.h"
#include "data/corpus.h"
#include "nn/saved_model.h"
#include "train/memory_need.h"

namespace nmt {

/// The resolved configuration, and as comments of YAML: the weights by part of the model, the memory that
/// training takes (`need`, of which there are `free_bytes`), and the batches of a full pool of the corpus.
/// `ranks`: "2 ranks on 1 machine", to which these are dealt, and each of which takes that memory; empty:
/// one.
std::string rehearsal(const std::string& config, const TrainOptions& t, const SavedModel& model,
                      const MemoryNeed& need, std::size_t free_bytes, const Corpus& corpus,
                      const std::string& ranks);

}  // namespace nmt
