// The files of a model: in a folder, or in a zip archive.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/io/memory_map.h"

namespace nmt {

class Package {
 public:
  /// Opens a folder or a zip archive. Throws Error if it is neither, or damaged.
  static std::unique_ptr<const Package> open(const std::string& path);

  Package(const Package&) = delete;
  Package& operator=(const Package&) = delete;
  virtual ~Package() = default;

  /// Returns a folder of this package, such as "model", as a package of its own.
  virtual std::unique_ptr<const Package> within(const std::string& folder) const = 0;
  /// Whether there is a file of this name, which is a path relative to the top.
  virtual bool has(const std::string& name) const = 0;
  /// Returns the sorted names of all files and folders at the top of a folder, or of all files of an archive.
  virtual std::vector<std::string> names() const = 0;
  /// Returns the bytes of a file, decompressed if it is in gzip, xz or zstd format. Throws Error if there is
  /// no such file, or it cannot be read.
  virtual MemoryMap map(const std::string& name) const = 0;
  /// Returns the path of the folder or archive.
  const std::string& path() const { return path_; }
  /// Returns the name of a file for messages.
  std::string shown(const std::string& name) const { return path_ == "." ? name : path_ + "/" + name; }

 protected:
  explicit Package(std::string path) : path_(std::move(path)) {}

 private:
  std::string path_;
};

}  // namespace nmt
