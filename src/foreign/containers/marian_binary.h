// Marian's .bin, version 1, little-endian:
//   u64 1, u64 n
//   n headers of four u64: bytes of the name with its zero, type, number of dimensions, bytes of the data
//   n names
//   n shapes, one i32 for each dimension
//   u64 p, p zeros
//   n times data
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/io/memory_map.h"
#include "foreign/containers/output_tensor.h"
#include "foreign/containers/tensor_file.h"

namespace nmt {

/// Opens a file. Matrices of intgemm are quantized entries with one multiplier; they have Marian's shape [in,
/// out], but their bytes are those of the transpose, except for embeddings (Wemb). Throws Error if the file
/// is not in this format, is damaged or encrypted (version 2), or has weights in a layout for one specific
/// processor.
std::unique_ptr<TensorFile> open_marian_binary(const std::string& path);
/// Opens a file whose bytes are mapped already; messages call them `name`.
std::unique_ptr<TensorFile> marian_binary_in(MemoryMap map, const std::string& name);

/// Writes a file as Marian does, atomically: f32 tensors in the order of their names, followed by `config`,
/// YAML (see marian_config.h); data begins at multiples of 256 bytes. Equal arguments give equal bytes.
/// Throws Error if two tensors have the same name, or the file cannot be written.
void write_marian_binary(const std::string& path, std::vector<OutputTensor> tensors,
                         const std::string& config);

}  // namespace nmt
