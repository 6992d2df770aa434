// What is in a model file, a packed corpus or a run.
#pragma once

#include <string>

#include "cli/commands/facts.h"

namespace nmt {

/// A model file: configuration, weights by part, vocabularies with samples, what training told of itself, the
/// validation of its update if metrics.jsonl lies beside it, precision, and the memory that translating
/// takes. Throws Error when it is damaged or no model.
Facts model_facts(const std::string& path);

/// The directory of a run: its checkpoints, and the facts of its best or else its last model. Throws Error as
/// model_facts() does, and where there is no model yet.
Facts run_directory_facts(const std::string& directory);

/// A vocabulary. Throws Error when it is damaged.
Facts vocabulary_file_facts(const std::string& path);

/// A packed corpus: pairs, tokens, what was left out, vocabularies. Throws Error when it is damaged.
Facts corpus_facts(const std::string& path);

}  // namespace nmt
