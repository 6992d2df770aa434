// Files of nmt's make (nn/files/model_file.h) as parts for a fuzzer.
#pragma once

#include "data/vocabulary/vocabulary.h"
#include "fuzz/target.h"

namespace nmt::fuzz {

/// The vocabulary of the seeds, a small one.
Vocabulary seed_vocabulary();

/// The parts: the JSON header without what is long in it, the texts of its metadata `config` and `progress`,
/// and the data without the vocabulary of the seeds at its end, which is a target of its own.
Parts split_safetensors(const std::string& bytes);
/// A file without a checksum, as such files may come from elsewhere.
std::string join_safetensors(const Parts& parts);

/// The bytes of a file that was written at `path`.
std::string read_bytes(const std::string& path);

}  // namespace nmt::fuzz
