// The head of an .npy file, an array of NumPy (NEP 1): "\x93NUMPY", two bytes of version, the length of a
// dictionary in Python's syntax (u16; u32 from version 2 on), and the dictionary; the elements follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foreign/containers/element_type.h"

namespace nmt {

struct NpyHeader {
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;  // row-major
};

/// The number of bytes that contain the length of the header.
constexpr std::size_t kNpyPrefix = 12;

/// Returns the length of a header with its prefix, given the first kNpyPrefix bytes of a file, or fewer if
/// the file is shorter. Throws Error, which calls the array `name`, if it is not an .npy file of version 1, 2
/// or 3.
std::size_t npy_header_length(std::string_view prefix, const std::string& name);

/// Parses a header with its prefix. Throws Error as npy_header_length() does, and for elements that are not
/// little-endian numbers in C order.
NpyHeader parse_npy_header(std::string_view header, const std::string& name);

/// Returns the header of version 1 that Marian writes; its size is a multiple of 16 bytes.
std::string npy_header(const NpyHeader& header);

}  // namespace nmt
