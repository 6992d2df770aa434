// Marian's .npz: a zip archive of arrays of NumPy, NAME.npy for each tensor, as numpy.savez() writes it too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/io/memory_map.h"
#include "foreign/containers/output_tensor.h"
#include "foreign/containers/tensor_file.h"

namespace nmt {

/// Opens an archive and reads the headers of all arrays. Throws Error when it is no zip archive of such, or
/// damaged, or has elements that are no little-endian numbers in C order.
std::unique_ptr<TensorFile> open_npz(const std::string& path);
/// The same of bytes that are mapped already; messages call them `name`.
std::unique_ptr<TensorFile> npz_in(MemoryMap map, const std::string& name);

/// Writes an archive as Marian does, atomically: nothing is packed, tensors stand in the order of their
/// names, and behind them `config`, YAML (see marian_config.h). Equal arguments give equal bytes. Throws
/// Error when two tensors have one name, when the file would have 4 GiB or more, which Marian does not read,
/// or when it cannot be written.
void write_npz(const std::string& path, std::vector<OutputTensor> tensors, const std::string& config);

}  // namespace nmt
