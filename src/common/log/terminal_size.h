// The size of a terminal.
#pragma once

#include <cstddef>

namespace nmt {

/// Returns the columns of the terminal at a descriptor, or `otherwise` if it is not a terminal or does not
/// report them.
std::size_t terminal_columns(int descriptor, std::size_t otherwise);

}  // namespace nmt
