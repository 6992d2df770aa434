// Addresses of the program.
#pragma once

#include <string>

namespace simt {

/// "softmax() at attention.cu:31"
std::string place(const void* address);

/// A constant or a variable of the library or program that holds the emulator.
bool in_program(const void* address);

}  // namespace simt
