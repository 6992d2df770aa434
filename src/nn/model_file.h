// Model files: a whole model (configuration, vocabularies, weights) as one safetensors file, whose metadata
// are
//   format: nmt.model, format_version: 1
//   config: the resolved configuration, YAML text
//   checksum_type: XXH3-64, checksum: 16 hexadecimal digits, over the whole file with these digits as zeros;
//     both are optional in files from elsewhere, and other keys are left alone.
#pragma once

#include <string>
#include <vector>

#include "common/memory_map.h"
#include "nn/safetensors.h"

namespace nmt {

/// A model file, mapped into memory and checked from end to end: nothing in it needs to be doubted
/// afterwards, except whether names and shapes fit the configuration.
class ModelFile {
 public:
  /// Opens `path`. Throws Error when it cannot be read, is damaged (structure, checksum, values that are not
  /// finite), is not a model of nmt, or is of a later version of the format.
  explicit ModelFile(const std::string& path);

  const std::string& path() const { return path_; }
  /// The resolved configuration, YAML text.
  const std::string& config() const { return config_; }
  /// All tensors, sorted by name. Their bytes live as long as this object.
  const std::vector<FileTensor>& tensors() const { return tensors_; }
  /// The tensor called `name`, or nullptr.
  const FileTensor* find(const std::string& name) const;

 private:
  std::string path_;
  MemoryMap map_;
  std::string config_;
  std::vector<FileTensor> tensors_;
};

/// Writes a model file, atomically (see AtomicFile). Equal arguments give equal bytes, in whatever order the
/// tensors come. `config` is YAML text. Throws Error when a name occurs twice, when a value is not finite (an
/// older file at `path` is worth more than such a model), or when the file cannot be written.
void write_model_file(const std::string& path, const std::string& config, std::vector<FileTensor> tensors);

}  // namespace nmt
