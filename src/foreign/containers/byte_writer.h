// Writes numbers for binary files.
#pragma once

#include <string>

namespace nmt {

/// Appends little-endian numbers, each in as many bytes as its type has.
template <class... Numbers>
void append_numbers(std::string& bytes, Numbers... numbers) {
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
}

}  // namespace nmt
