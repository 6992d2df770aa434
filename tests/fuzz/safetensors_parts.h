// Splits model files of nmt (nn/files/model_file.h) into parts for a fuzzer.
#pragma once

#include "data/vocabulary/vocabulary.h"
#include "fuzz/target.h"

namespace nmt::fuzz {

/// Returns the small vocabulary of the seeds.
Vocabulary seed_vocabulary();

/// Returns the parts: the JSON header without its long values, the texts of its metadata `config` and
/// `progress`, and the data without the vocabulary at its end, which is a target of its own.
Parts split_safetensors(const std::string& bytes);
/// Returns a file without a checksum, as files from elsewhere may be.
std::string join_safetensors(const Parts& parts);

/// Returns the bytes of a file at `path`.
std::string read_bytes(const std::string& path);

}  // namespace nmt::fuzz
