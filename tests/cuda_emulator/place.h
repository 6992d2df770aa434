// Addresses of the program.
#pragma once

#include <string>

namespace simt {

/// Returns "softmax() at attention.cu:31".
std::string place(const void* address);

/// Whether an address is a constant or a variable of the library or program that contains the emulator.
bool in_program(const void* address);

}  // namespace simt
