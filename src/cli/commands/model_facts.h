// Facts about a model file, a packed corpus or a run.
#pragma once

#include <string>

#include "cli/commands/facts.h"

namespace nmt {

/// Describes a model file: configuration, weights by part, vocabularies with samples, training counters in
/// the file, the validation of its update if metrics.jsonl is in the same folder, precision, and the memory
/// that translating takes. Throws Error if the file is damaged or not a model.
Facts model_facts(const std::string& path);

/// Describes a run directory: its checkpoints, and the facts of its best or else its last model. Throws Error
/// as model_facts() does, and if there is no model yet.
Facts run_directory_facts(const std::string& directory);

/// Describes a vocabulary file. Throws Error if it is damaged.
Facts vocabulary_file_facts(const std::string& path);

/// Describes a packed corpus: pairs, tokens, dropped pairs, vocabularies. Throws Error if it is damaged.
Facts corpus_facts(const std::string& path);

}  // namespace nmt
