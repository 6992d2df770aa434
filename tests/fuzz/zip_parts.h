// Splits zip archives into parts for a fuzzer.
#pragma once

#include "fuzz/target.h"

namespace nmt::fuzz {

/// Returns the names of the entries, one per line, and the contents of each; a single part for any other
/// file.
Parts split_zip(const std::string& bytes);
/// Returns an archive of stored entries with correct checksums.
std::string join_zip(const Parts& parts);

}  // namespace nmt::fuzz
