// Files of tensors of other toolkits, read one tensor at a time. As files may come from strangers, every
// number is checked before it is used, and memory stays a small multiple of the file's size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/memory_map.h"
#include "nn/files/file_weights.h"

namespace nmt {

/// Maximum number of tensors in a file; the largest translation models have a few thousand.
inline constexpr std::size_t kMostTensors = 20'000;

/// Maximum number of dimensions of a tensor.
inline constexpr std::size_t kMostTensorDimensions = 8;

enum class ElementType : std::uint8_t { f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

/// Returns the bytes of one element.
std::size_t size_of(ElementType type);

/// Returns the name for messages: "f32".
const char* name_of(ElementType type);

/// Whether elements are real numbers rather than integers.
bool is_real(ElementType type);

class TensorFile : public WatchedFiles {
 public:
  struct Entry {
    ElementType type = ElementType::f32;
    std::vector<std::int64_t> shape;  // row-major; empty for a single number
    /// Whether integers stand for real numbers, by multipliers stored in the file.
    bool is_quantized = false;
    /// Whether the bytes are those of the transpose of this matrix.
    bool is_transposed = false;

    /// Returns the number of elements.
    std::int64_t size() const;
    std::size_t bytes() const { return static_cast<std::size_t>(size()) * size_of(type); }
  };

  explicit TensorFile(std::string path) : path_(std::move(path)) {}
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;
  ~TensorFile() override = default;

  const std::string& path() const { return path_; }
  /// Returns all tensors by name, including texts (i8 or u8).
  const std::map<std::string, Entry>& entries() const { return entries_; }
  /// Returns the tensor called `name`, or null.
  const Entry* find(const std::string& name) const;

  // The following functions can be called on several threads at a time, and throw Error if there is no such
  // tensor, if it has the wrong type, or if the file is damaged.

  /// Returns the elements of a tensor of real numbers, row-major: f64 is rounded to the nearest f32, other
  /// types are exact. Elements of a quantized tensor are integer / multiplier, rounded.
  std::vector<float> read(const std::string& name) const;
  /// Returns the elements of some rows of a tensor; a vector is one row. Only these rows take memory, unless
  /// the file has them in another form.
  std::vector<float> read(const std::string& name, RowRange rows) const;
  /// Returns a matrix of quantized 8-bit integers as it is stored: if the entry is transposed, the rows of
  /// the result are the columns of the matrix. A scale is the inverse of the file's multiplier.
  QuantizedMatrix read_quantized(const std::string& name) const;
  /// Returns the integers of a tensor, quantized or not, row-major.
  std::vector<std::int64_t> read_integers(const std::string& name) const;
  /// Returns the bytes of a tensor of i8 or u8 up to its first zero.
  std::string read_text(const std::string& name) const;
  /// Whether all numbers that read() returns are finite. Throws as read() does.
  bool is_finite(const std::string& name) const;
  /// Reads bytes of a tensor, from byte `begin` on, into `to`.
  virtual void load(const std::string& name, std::size_t begin, std::span<std::byte> to) const = 0;

  /// Returns the place of the bytes of a tensor in a mapped file. Null if the file is not mapped, or has
  /// other bytes than load() returns. The caller calls finish_reading() after reading the bytes.
  virtual const std::byte* mapped(const std::string& /*name*/) const { return nullptr; }
  // Files that are not mapped are checked by load().
  void check_unchanged() const override {}
  void finish_reading() const override {}

 protected:
  /// Adds an entry. Throws Error if the name exists already, or the shape is invalid. The caller checks that
  /// the file has enough bytes.
  void add(const std::string& name, Entry entry);
  /// Checks the number of tensors in a file. Throws Error if it is more than any model has.
  std::uint64_t checked_count(std::uint64_t count) const;
  /// Returns the entry as find() does, but throws Error if there is none.
  const Entry& entry(const std::string& name) const;

 private:
  /// Returns the multipliers of a quantized entry: one, or one per row of its bytes.
  virtual std::vector<float> multipliers(const std::string& name) const;

  /// Returns some stored elements of a tensor.
  template <class To>
  std::vector<To> converted(const std::string& name, std::size_t first, std::size_t count) const;
  /// Returns one multiplier per row, all positive and finite.
  std::vector<float> checked_multipliers(const std::string& name, std::size_t rows) const;

  std::string path_;
  std::map<std::string, Entry> entries_;
};

class MappedTensors : public TensorFile {
 public:
  void load(const std::string& name, std::size_t begin, std::span<std::byte> to) const override;
  const std::byte* mapped(const std::string& name) const override;
  void check_unchanged() const override { map_.check_unchanged(); }
  void finish_reading() const override { map_.finish_reading(); }

 protected:
  /// Maps the file. Throws Error as map_file() does.
  explicit MappedTensors(const std::string& path) : MappedTensors(map_file(path), path) {}
  /// Takes bytes that are mapped already; messages call them `path`.
  MappedTensors(MemoryMap map, const std::string& path) : TensorFile(path), map_(std::move(map)) {}

  std::string_view file() const { return map_.text(); }
  /// Adds an entry with its bytes. Throws Error as TensorFile::add() does, and if there are too few bytes.
  void add(const std::string& name, Entry entry, std::string_view bytes);
  /// Returns the bytes that an entry was added with.
  std::string_view bytes_at(const std::string& name) const { return bytes_.at(name); }

 private:
  MemoryMap map_;
  std::map<std::string, std::string_view> bytes_;  // of each entry
};

}  // namespace nmt
