// Archives of NumPy: arrays in .npy format in a zip file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/memory_map.h"
#include "foreign/containers/output_tensor.h"
#include "foreign/containers/tensor_file.h"

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

/// Opens an archive and reads the headers of all arrays. Throws Error if the file is not a zip archive of
/// arrays in .npy format, is damaged, or has elements that are not little-endian numbers in C order.
std::unique_ptr<TensorFile> open_npz(const std::string& path);
/// Opens an archive whose bytes are mapped already; messages call them `name`.
std::unique_ptr<TensorFile> npz_in(MemoryMap map, const std::string& name);

/// Writes an archive as Marian does, atomically: without compression, tensors in the order of their names,
/// followed by `config`, YAML (see marian_config.h). Equal arguments give equal bytes. Throws Error if two
/// tensors have the same name, if the file would have 4 GiB or more, which Marian does not read, or if it
/// cannot be written.
void write_npz(const std::string& path, std::vector<OutputTensor> tensors, const std::string& config);

}  // namespace nmt
