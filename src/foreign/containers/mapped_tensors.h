// Tensors stored contiguously in a memory-mapped file. Pages do not stay in memory after reading.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "common/io/memory_map.h"
#include "foreign/containers/tensor_file.h"

namespace nmt {

class MappedTensors : public TensorFile {
 public:
  void load(const std::string& name, std::span<std::byte> to) const override;

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
