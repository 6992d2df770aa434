// Zip archives as parts for a fuzzer.
#pragma once

#include "fuzz/target.h"

namespace nmt::fuzz {

/// The names of the entries, one a line, and the contents of each; one part where it is no archive.
Parts split_zip(const std::string& bytes);
/// An archive of entries that are stored, with checksums that are right.
std::string join_zip(const Parts& parts);

}  // namespace nmt::fuzz
