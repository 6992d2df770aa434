// Marian's .bin: version 1, little-endian,
//   u64 1, u64 n, n headers of u64 bytes of the name with its zero, type, dimensions, bytes of the data;
//   n names, n shapes (i32 an extent), u64 p, p zeros, n times data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/io/memory_map.h"
#include "foreign/containers/output_tensor.h"
#include "foreign/containers/tensor_file.h"

namespace nmt {

/// Opens a file. Matrices of intgemm are quantised entries: their shape is that of Marian, [in, out], their
/// bytes those of the transpose, but for embeddings (Wemb), and all have one multiplier. Throws Error when it
/// is no such file, is damaged or encrypted (version 2), or has weights in a layout that one processor alone
/// knows.
std::unique_ptr<TensorFile> open_marian_binary(const std::string& path);
/// The same of bytes that are mapped already; messages call them `name`.
std::unique_ptr<TensorFile> marian_binary_in(MemoryMap map, const std::string& name);

/// Writes a file as Marian does, atomically: tensors of f32 in the order of their names, and behind them
/// `config`, YAML (see marian_config.h); data begins at multiples of 256 bytes. Equal arguments give equal
/// bytes. Throws Error when two tensors have one name, or the file cannot be written.
void write_marian_binary(const std::string& path, std::vector<OutputTensor> tensors,
                         const std::string& config);

}  // namespace nmt
