// The files that make up a model: in a folder, or packed in a zip archive.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/io/memory_map.h"

namespace nmt {

class Package {
 public:
  /// Opens a folder, or a zip archive. Throws Error when it is neither, or damaged.
  static std::unique_ptr<const Package> open(const std::string& path);

  Package(const Package&) = delete;
  Package& operator=(const Package&) = delete;
  virtual ~Package() = default;

  /// Whether there is a file of this name, by its path from the top.
  virtual bool has(const std::string& name) const = 0;
  /// The names of all files and folders at the top of a folder, or of all files of an archive, sorted.
  virtual std::vector<std::string> names() const = 0;
  /// The bytes of a file, unpacked where it is in gzip, xz or zstd format. Throws Error when there is no such
  /// file, or it cannot be read.
  virtual MemoryMap map(const std::string& name) const = 0;
  /// Where the folder or archive is.
  const std::string& path() const { return path_; }
  /// What messages call a file.
  std::string shown(const std::string& name) const { return path_ == "." ? name : path_ + "/" + name; }

 protected:
  explicit Package(std::string path) : path_(std::move(path)) {}

 private:
  std::string path_;
};

}  // namespace nmt
