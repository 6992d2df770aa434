// Model files: a whole model (configuration, vocabularies, weights) as one safetensors file, whose metadata
// are
//   format: nmt.model, format_version: 1
//   config: the resolved configuration, YAML text
//   checksum_type: XXH3-64, checksum: 16 hexadecimal digits, over the whole file with these digits as zeros;
//     both are optional in files from elsewhere, and other keys are left alone.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/io/memory_map.h"
#include "nn/files/safetensors.h"

namespace nmt {

/// The `format` of model files, and of files of the same make that hold the state of a training run.
inline constexpr const char* kModelFormat = "nmt.model";
inline constexpr const char* kStateFormat = "nmt.state";

/// A model file, mapped into memory and checked from end to end: nothing in it needs to be doubted
/// afterwards, except whether names and shapes fit the configuration, and whether the file is still as it was
/// (check_unchanged()). No page stays in memory for the check.
class ModelFile {
 public:
  /// Opens `path`. Throws Error when it cannot be read, is damaged (structure, checksum, values that are not
  /// finite, integers that are no quantised weights), is not of this format, or is of a later version of it.
  explicit ModelFile(const std::string& path, const std::string& format = kModelFormat);
  /// The same of bytes that are mapped already; messages call them `name`.
  ModelFile(MemoryMap map, const std::string& name, const std::string& format = kModelFormat);

  const std::string& path() const { return path_; }
  /// The resolved configuration, YAML text.
  const std::string& config() const { return metadata_.at("config"); }
  /// A text of the metadata; empty when it is not there.
  std::string metadata(const std::string& name) const;
  /// All texts but those that every model file has (see above): what write_model_file() takes.
  std::map<std::string, std::string> further_metadata() const;
  /// All tensors, sorted by name. Their bytes live as long as this object.
  const std::vector<FileTensor>& tensors() const { return tensors_; }
  /// The tensor called `name`, or nullptr.
  const FileTensor* find(const std::string& name) const;
  /// Throws Error where the file was truncated or overwritten since it was opened; for whoever has read
  /// tensors.
  void check_unchanged() const { map_.check_unchanged(); }
  /// The end of reading some tensors, whose memory goes back to the system, so that many files can be open.
  /// Throws as check_unchanged().
  void finish_reading() const { map_.finish_reading(); }

 private:
  void read(const std::string& format);

  std::string path_;
  MemoryMap map_;
  std::map<std::string, std::string> metadata_;
  std::vector<FileTensor> tensors_;
};

/// Writes a model file, atomically (see AtomicFile). Equal arguments give equal bytes, in whatever order the
/// tensors come. Bytes that have to be made are made twice, those of one tensor at a time. `config` is YAML
/// text. Throws Error when a name occurs twice, when a value is not finite (an older file at `path` is worth
/// more than such a model), or when the file cannot be written. `metadata`: further texts. `before_commit` is
/// called when all is written; where it throws, nothing has changed at `path`.
void write_model_file(const std::string& path, const std::string& config, std::vector<FileTensor> tensors,
                      const std::string& format = kModelFormat,
                      std::map<std::string, std::string> metadata = {},
                      const std::function<void()>& before_commit = {});

/// Gives the bytes of such a file to `write`, piece by piece; messages call it `name`. Throws as
/// write_model_file(), and what `write` throws.
void write_model(const std::function<void(const void* data, std::size_t size)>& write,
                 const std::string& name, const std::string& config, std::vector<FileTensor> tensors,
                 const std::string& format = kModelFormat, std::map<std::string, std::string> metadata = {});

}  // namespace nmt
