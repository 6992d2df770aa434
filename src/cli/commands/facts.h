// Named facts about models, this machine and this build, for people and for programs, and a description of
// a packed corpus.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "data/packed/packed_corpus.h"

namespace nmt {

/// An object whose values are texts, numbers, lists of those, or objects.
using Facts = nlohmann::ordered_json;

/// Returns one line per fact with its name and its value in aligned columns; the facts of a nested object are
/// indented under its name. Underscores of names become spaces; numbers whose name ends in `bytes` are shown
/// in MB.
std::string facts_text(const Facts& facts);

/// Returns the facts as JSON. Bytes that are not UTF-8 become U+FFFD.
std::string facts_json(const Facts& facts);

/// Returns version, commit, compiler, and kind of build.
Facts build_facts();

/// Returns the facts of the build, the processor, instruction sets, cores, memory, devices, and the versions
/// of libraries.
Facts machine_facts();

/// Describes a model file: configuration, weights by part, vocabularies with samples, training counters in
/// the file, precision, and the memory that translating takes. If metrics.jsonl is in the same folder, also
/// describes the validation of the model's update. Throws Error if the file is damaged or not a model.
Facts model_facts(const std::string& path);

/// Describes a run directory: its checkpoints, and the facts of its best or else its last model. Throws Error
/// as model_facts() does, and if there is no model yet.
Facts run_directory_facts(const std::string& directory);

/// Describes a vocabulary file. Throws Error if it is damaged.
Facts vocabulary_file_facts(const std::string& path);

/// Describes a packed corpus: pairs, tokens, dropped pairs, vocabularies. Throws Error if it is damaged.
Facts corpus_facts(const std::string& path);

/// Returns lines about a corpus: its counts, what each filter dropped, the batches of training for budgets of
/// `batch_tokens` and some others, and the distribution of sentence lengths. Reads the corpus once per
/// budget. Throws Error if the corpus is damaged.
std::string corpus_report(const PackedCorpus& corpus, std::int64_t batch_tokens);

}  // namespace nmt
