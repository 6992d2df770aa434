// The safetensors container: eight bytes of header length (little-endian), a JSON header, the tensors' bytes.
// Files come from strangers, so nothing is believed: every number is checked before it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "tensor/dtype.h"

namespace nmt {

/// One tensor of a file. The bytes belong to somebody else and need not be aligned: copy them, do not cast.
struct FileTensor {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;  // row-major; empty for a single number
  const std::byte* data = nullptr;
  /// Where there are no bytes yet, of a tensor to be written, makes them: the same each time.
  std::function<std::vector<std::byte>()> make;

  /// Number of elements.
  std::int64_t size() const;
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * size_of(dtype); }
};

/// What the header says of one tensor, not yet checked against the file.
struct SafetensorsEntry {
  std::string dtype;  // "F32", as in the file
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  // bytes, counted from the end of the header
};

struct Safetensors {
  std::string_view header;  // the JSON text, padding included
  std::string_view data;    // the bytes of all tensors
  std::map<std::string, std::string> metadata;
  std::map<std::string, SafetensorsEntry> entries;  // by tensor name
};

/// Reads the header of the file `path` whose bytes are `file`. Memory used is proportional to the header's
/// own length. Throws Error (see damaged()) when the header is cut off, is not JSON, names something twice,
/// or says anything but what the format knows.
Safetensors parse_safetensors(std::string_view file, const std::string& path);

/// Checks dtypes, shapes and offsets, and returns the tensors sorted by name; `data` points into the file.
/// Together they must cover the file's data without gap or overlap. Throws Error, also for dtypes that nmt
/// does not load.
std::vector<FileTensor> locate_tensors(const Safetensors& file, const std::string& path);

/// Puts tensors into the order in which a file holds them: wide elements first, so that each is aligned to
/// its element size though the format allows no gaps; then by name.
void sort_for_file(std::vector<FileTensor>& tensors);

/// The head of a file, to be followed by the bytes of `tensors` in the order given: length and header, padded
/// so that the data begins at a multiple of 64 bytes. Equal arguments give equal bytes.
std::string safetensors_head(const std::map<std::string, std::string>& metadata,
                             const std::vector<FileTensor>& tensors);

/// The Error for a file whose contents cannot be right.
Error damaged(const std::string& path, const std::string& what);

/// Text out of a file as messages show it: in quotes, on one line, ASCII, not too long. Valid UTF-8 only.
std::string in_quotes(const std::string& text);

}  // namespace nmt
