// The number of files, including sockets, that a process may have open.
#pragma once

#include <cstdint>

namespace nmt {

/// Raises the limit of descriptors to at least `count`, as far as the hard limit allows; returns the new
/// limit.
std::int64_t allow_open_files(std::int64_t count);

}  // namespace nmt
