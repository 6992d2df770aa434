// Marian's .npz: a zip archive with a NumPy array NAME.npy per tensor, as numpy.savez() writes it too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/io/memory_map.h"
#include "foreign/containers/output_tensor.h"
#include "foreign/containers/tensor_file.h"

namespace nmt {

/// Opens an archive and reads the headers of all arrays. Throws Error if it is not a zip archive of such
/// arrays, or damaged, or has elements that are not little-endian numbers in C order.
std::unique_ptr<TensorFile> open_npz(const std::string& path);
/// Opens an archive whose bytes are mapped already; messages call them `name`.
std::unique_ptr<TensorFile> npz_in(MemoryMap map, const std::string& name);

/// Writes an archive as Marian does, atomically: without compression, tensors in the order of their names,
/// followed by `config`, YAML (see marian_config.h). Equal arguments give equal bytes. Throws Error if two
/// tensors have the same name, if the file would have 4 GiB or more, which Marian does not read, or if it
/// cannot be written.
void write_npz(const std::string& path, std::vector<OutputTensor> tensors, const std::string& config);

}  // namespace nmt
