// Arrays of NumPy for tests.
#pragma once

#include <cstdint>
#include <string>

#include "foreign/containers/byte_text.h"

namespace nmt::testing {

/// Returns an .npy file of this version with this dictionary as its header.
inline std::string npy_bytes(const std::string& dictionary, const std::string& data, char version = 1) {
  const std::string length = version == 1 ? raw(static_cast<std::uint16_t>(dictionary.size()))
                                          : raw(static_cast<std::uint32_t>(dictionary.size()));
  return std::string("\x93NUMPY") + version + '\0' + length + dictionary + data;
}

/// Returns an .npy file of this type and this shape, such as "(2, 3)".
inline std::string npy_array(const std::string& type, const std::string& shape, const std::string& data) {
  return npy_bytes("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n", data);
}

}  // namespace nmt::testing
