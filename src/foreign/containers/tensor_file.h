// Files in which other toolkits keep tensors, read one tensor at a time. They come from strangers, so nothing
// is believed: every number is checked before it is used, and memory stays a small multiple of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "foreign/containers/element_type.h"
#include "nn/files/file_weights.h"

namespace nmt {

class TensorFile {
 public:
  struct Entry {
    ElementType type = ElementType::f32;
    std::vector<std::int64_t> shape;  // row-major; empty for a single number
    /// Integers that stand for real numbers, by multipliers that the file has beside them.
    bool is_quantized = false;
    /// The bytes are those of the transpose of this matrix.
    bool is_transposed = false;

    /// Number of elements.
    std::int64_t size() const;
    std::size_t bytes() const { return static_cast<std::size_t>(size()) * size_of(type); }
  };

  explicit TensorFile(std::string path) : path_(std::move(path)) {}
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;
  virtual ~TensorFile() = default;

  const std::string& path() const { return path_; }
  /// All tensors by name, texts among them (i8 or u8).
  const std::map<std::string, Entry>& entries() const { return entries_; }
  /// The tensor called `name`, or nullptr.
  const Entry* find(const std::string& name) const;

  // What follows can be called by several threads at once, and throws Error where there is no such tensor,
  // where it is of another kind, or where the file is damaged.

  /// The elements of a tensor of real numbers, row-major: f64 is rounded to the nearest f32, all else exact.
  /// Of a quantised one integer / multiplier, rounded.
  std::vector<float> read(const std::string& name) const;
  /// A matrix of quantised integers of 8 bits as it lies in the file: where the entry is transposed, rows are
  /// its columns. A scale is the inverse of the file's multiplier.
  QuantizedMatrix read_quantized(const std::string& name) const;
  /// The elements of a tensor of integers as they are, quantised or not, row-major.
  std::vector<std::int64_t> read_integers(const std::string& name) const;
  /// The bytes of a tensor of i8 or u8 up to its first zero.
  std::string read_text(const std::string& name) const;
  /// Puts the bytes of a tensor, as many as its entry says, into `to`.
  virtual void load(const std::string& name, std::span<std::byte> to) const = 0;

 protected:
  /// Adds an entry. Throws Error where the name is there already, or the shape means nothing. Whether the
  /// file has so many bytes is for who calls it to check.
  void add(const std::string& name, Entry entry);
  /// The number of tensors that a file tells. Throws Error where no model has so many.
  std::uint64_t checked_count(std::uint64_t count) const;
  /// As find(), but throws Error where there is none.
  const Entry& entry(const std::string& name) const;

 private:
  /// The multipliers of a quantised entry: one, or one for each row of its bytes.
  virtual std::vector<float> multipliers(const std::string& name) const;

  std::vector<std::byte> bytes_of(const std::string& name, const Entry& entry) const;
  /// As many as rows, all positive and finite.
  std::vector<float> checked_multipliers(const std::string& name, std::size_t rows) const;

  std::string path_;
  std::map<std::string, Entry> entries_;
};

}  // namespace nmt
