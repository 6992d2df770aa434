// How much memory this process has.
#pragma once

#include <cstddef>

namespace nmt {

/// Bytes in physical memory at present, mapped files included; 0 where the system does not tell.
std::size_t resident_bytes();

}  // namespace nmt
