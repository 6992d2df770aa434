// How much memory this process has, and could have.
#pragma once

#include <cstddef>

namespace nmt {

/// Bytes in physical memory at present, mapped files included; 0 where the system does not tell.
std::size_t resident_bytes();

/// Bytes of physical memory that the machine has.
std::size_t machine_bytes();

/// Bytes that the system could still give to processes; half of all it has where it does not tell.
std::size_t available_bytes();

}  // namespace nmt
