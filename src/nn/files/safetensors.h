// The safetensors container: eight bytes of header length (little-endian), a JSON header, the bytes of the
// tensors. Files are not trusted: every number is checked before it is used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/damaged_file.h"
#include "tensor/dtype.h"

namespace nmt {

/// The bytes of a tensor, which need not be aligned: copy them, do not cast.
class TensorBytes {
 public:
  /// Refers to bytes that must outlive this object.
  explicit TensorBytes(const std::byte* data) : data_(data) {}
  /// Takes a vector of numbers, whose bytes in memory are those of the tensor.
  template <class T>
  TensorBytes(std::vector<T> numbers) {  // NOLINT(google-explicit-constructor): results of FileTensor::make
    auto owned = std::make_shared<const std::vector<T>>(std::move(numbers));
    data_ = reinterpret_cast<const std::byte*>(owned->data());
    owner_ = std::move(owned);
  }

  const std::byte* data() const { return data_; }

 private:
  std::shared_ptr<const void> owner_;
  const std::byte* data_;
};

/// Rows [begin, begin + count) of a tensor; a vector and a scalar are one row.
struct RowRange {
  std::int64_t begin, count;
};

/// Calls use(range) for ranges of all rows in their order. A range takes little memory compared with a large
/// model, but few are needed.
template <class Use>
void each_range(std::int64_t rows, std::size_t row_bytes, const Use& use) {
  constexpr std::size_t kBytes = std::size_t{8} << 20;
  const auto at_once =
      static_cast<std::int64_t>(std::max(kBytes / std::max<std::size_t>(row_bytes, 1), std::size_t{1}));
  for (std::int64_t begin = 0; begin < rows; begin += at_once)
    use(RowRange{begin, std::min(at_once, rows - begin)});
}

/// One tensor of a file.
struct FileTensor {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;  // row-major; empty for a scalar
  /// The bytes, which are not owned; null if they are made when they are needed.
  const std::byte* data = nullptr;
  /// Makes the bytes of some rows if `data` is null; returns equal bytes each time.
  std::function<TensorBytes(RowRange)> make;

  /// Number of elements.
  std::int64_t size() const;
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * size_of(dtype); }
  std::int64_t rows() const { return shape.size() < 2 ? 1 : shape[0]; }
  std::size_t row_bytes() const { return rows() == 0 ? 0 : bytes() / static_cast<std::size_t>(rows()); }
  /// Returns the bytes of some rows: those at `data`, or those that `make` returns.
  TensorBytes read(RowRange range) const {
    if (data == nullptr && make) return make(range);
    return TensorBytes(data == nullptr ? nullptr
                                       : data + static_cast<std::size_t>(range.begin) * row_bytes());
  }
  /// Returns the bytes of all rows.
  TensorBytes read() const { return read({0, rows()}); }
  /// Calls use(bytes, count), with the bytes of each range of rows and their number, in the order of the
  /// rows.
  template <class Use>
  void each_part(const Use& use) const {
    each_range(rows(), row_bytes(), [&](RowRange range) {
      use(read(range).data(), static_cast<std::size_t>(range.count) * row_bytes());
    });
  }
};

/// The entry of a tensor in the header, not yet checked against the file.
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

/// Parses the header of the file `path` whose bytes are `file`. Memory use is proportional to the length of
/// the header. Throws Error (see damaged()) if the header is truncated, is not JSON, contains a duplicate
/// name, or anything that the format does not define.
Safetensors parse_safetensors(std::string_view file, const std::string& path);

/// Checks dtypes, shapes and offsets, and returns the tensors sorted by name; `data` points into the file.
/// Together the tensors must cover the data of the file without gap or overlap. Throws Error, also for dtypes
/// that nmt does not load.
std::vector<FileTensor> locate_tensors(const Safetensors& file, const std::string& path);

/// Sorts tensors into the order in which files store them: by falling element size, so that each is aligned
/// although the format allows no gaps; then by name.
void sort_for_file(std::vector<FileTensor>& tensors);

/// Returns the head of a file, which the bytes of `tensors` follow in the given order: length and header,
/// padded so that the data begins at a multiple of 64 bytes. Equal arguments give equal bytes.
std::string safetensors_head(const std::map<std::string, std::string>& metadata,
                             const std::vector<FileTensor>& tensors);

/// Returns the Error for a file with invalid contents.
DamagedFile damaged(const std::string& path, const std::string& what);

/// Formats text from a file for messages: quoted, on one line, ASCII, limited in length. Valid UTF-8 only.
std::string in_quotes(const std::string& text);

}  // namespace nmt
