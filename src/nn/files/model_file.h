// Model files: a whole model (configuration, vocabularies, weights) in one safetensors file with metadata:
//   format: nmt.model, format_version: 1
//   config: the resolved configuration, YAML text
//   checksum_type: XXH3-64, checksum: 16 hexadecimal digits, over the whole file with these digits as zeros
// Files that nmt did not write may lack the checksum. Other keys are ignored.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/io/memory_map.h"
#include "nn/files/safetensors.h"

namespace nmt {

/// The `format` of model files. Files with the state of a training run have the same structure but another
/// format.
inline constexpr const char* kModelFormat = "nmt.model";
inline constexpr const char* kStateFormat = "nmt.state";

/// The contents of a model, fully checked: a model file mapped into memory, or tensors that are computed from
/// other files when they are read. Users of this class need to verify only two things: that names and shapes
/// fit the configuration, and that the files have not changed since (check_unchanged()). The memory pages
/// that the check has read are released.
class ModelFile final : public WatchedFiles {
 public:
  /// Opens `path`. Throws Error if the file cannot be read, is damaged (structure, checksum, values that are
  /// not finite, invalid quantized integers), has another format, or has a newer format version.
  explicit ModelFile(const std::string& path, const std::string& format = kModelFormat);
  /// Opens a model from bytes that are already mapped; messages call them `name`. Throws Error like the
  /// constructor from a path.
  ModelFile(MemoryMap map, const std::string& name, const std::string& format = kModelFormat);
  /// Takes a model with these contents, which are checked already and have distinct names of tensors. The
  /// contents are those that write_model_file() would write. `files`: the files from which the tensors are
  /// read; it owns the memory that they refer to.
  ModelFile(std::string name, const std::string& config, std::vector<FileTensor> tensors,
            std::shared_ptr<const WatchedFiles> files, std::map<std::string, std::string> metadata = {});

  const std::string& path() const { return path_; }
  /// Returns the resolved configuration, YAML text.
  const std::string& config() const { return metadata_.at("config"); }
  /// Returns a metadata text; empty if there is none with this name.
  std::string metadata(const std::string& name) const;
  /// Returns the metadata that only some model files have: all texts but format, version, configuration and
  /// checksum. write_model_file() takes them in this form.
  std::map<std::string, std::string> further_metadata() const;
  /// Returns the checksum in the metadata. For a model without one, returns the checksum that a file with its
  /// contents would have.
  std::string checksum() const;
  /// Returns all tensors, sorted by name. Their bytes live as long as this object.
  const std::vector<FileTensor>& tensors() const { return tensors_; }
  /// Returns the tensor called `name`, or nullptr.
  const FileTensor* find(const std::string& name) const;
  /// Throws Error if a file was truncated or overwritten since it was opened. Call this after reading
  /// tensors.
  void check_unchanged() const override { files_->check_unchanged(); }
  /// Releases the memory of tensors that were read, so that many files can be open. Throws as
  /// check_unchanged().
  void finish_reading() const override { files_->finish_reading(); }

 private:
  void read(const MemoryMap& map, const std::string& format);

  std::string path_;
  std::shared_ptr<const WatchedFiles> files_;
  std::map<std::string, std::string> metadata_;
  std::vector<FileTensor> tensors_;
};

/// The error of a file that is not written, because a tensor holds NaN or infinity: an older file in its
/// place is worth more than such a model.
class NotFinite : public Error {
 public:
  NotFinite(const std::string& path, std::string tensor)
      : Error("cannot write '{}': tensor {} holds NaN or infinity; continue from an earlier checkpoint", path,
              in_quotes(tensor)),
        tensor_(std::move(tensor)) {}

  /// Returns the name of the tensor.
  const std::string& tensor() const { return tensor_; }

 private:
  std::string tensor_;
};

/// Writes a model file, atomically (see AtomicFile). Equal arguments give equal bytes, whatever the order of
/// the tensors. Bytes of tensors with a `make` function are computed twice, some rows at a time. `config` is
/// YAML text; `metadata`: additional texts. `before_commit` is called when everything is written; if it
/// throws, the file at `path` stays as it was. Throws NotFinite, and Error if a name occurs twice or the file
/// cannot be written.
void write_model_file(const std::string& path, const std::string& config, std::vector<FileTensor> tensors,
                      const std::string& format = kModelFormat,
                      std::map<std::string, std::string> metadata = {},
                      const std::function<void()>& before_commit = {});

}  // namespace nmt
