// How many files, sockets among them, a process may have open.
#pragma once

#include <cstdint>

namespace nmt {

/// Has this process allowed at least so many descriptors, as far as its hard limit lets it; returns how many
/// it is allowed.
std::int64_t allow_open_files(std::int64_t count);

}  // namespace nmt
