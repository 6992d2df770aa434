// How large a terminal is.
#pragma once

#include <cstddef>

namespace nmt {

/// The columns of the terminal that a descriptor is, or `otherwise`, where it is none or does not tell.
std::size_t terminal_columns(int descriptor, std::size_t otherwise);

}  // namespace nmt
