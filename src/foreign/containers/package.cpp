#include "foreign/containers/package.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "common/error.h"
#include "common/io/folder.h"
#include "common/io/spool.h"
#include "foreign/containers/zip_archive.h"

namespace nmt {
namespace {

class Folder final : public Package {
 public:
  explicit Folder(const std::string& path) : Package(path) {}

  std::unique_ptr<const Package> within(const std::string& folder) const override {
    return std::make_unique<Folder>(shown(folder));
  }
  /// Whether there is anything of this name; map() says why something that is no file cannot be read.
  bool has(const std::string& name) const override {
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::symlink_status(shown(name), ignored));
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const std::string& entry : entries_of(path()))
      names.push_back(std::filesystem::path(entry).filename().string());
    std::ranges::sort(names);
    return names;
  }
  MemoryMap map(const std::string& name) const override { return map_unpacked(shown(name)); }
};

/// A zip archive, or the part of it whose names have a prefix.
class Archive final : public Package {
 public:
  explicit Archive(const std::string& path)
      : Archive(path, std::make_shared<const ZipArchive>(path), std::string()) {}
  Archive(const std::string& path, std::shared_ptr<const ZipArchive> archive, std::string prefix)
      : Package(path), archive_(std::move(archive)), prefix_(std::move(prefix)) {}

  std::unique_ptr<const Package> within(const std::string& folder) const override {
    return std::make_unique<Archive>(shown(folder), archive_, prefix_ + folder + "/");
  }
  bool has(const std::string& name) const override { return archive_->contains(prefix_ + name); }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, size] : archive_->sizes()) {
      if (name.starts_with(prefix_)) names.push_back(name.substr(prefix_.size()));
    }
    return names;
  }
  /// Maps a file, decompressed into an unnamed temporary file.
  MemoryMap map(const std::string& name) const override {
    constexpr std::uint64_t kAtOnce = 1 << 20;
    const std::string entry = prefix_ + name;
    if (!has(name)) throw Error("'{}' holds no '{}'; the archive is not complete", archive_->path(), entry);
    const std::uint64_t size = archive_->sizes().at(entry);
    std::vector<std::byte> bytes;
    Spool spool;
    for (std::uint64_t begin = 0; begin < size; begin += bytes.size()) {
      bytes.resize(std::min(kAtOnce, size - begin));
      archive_->read(entry, begin, bytes);
      spool.append(bytes.data(), bytes.size());
    }
    return spool.map();
  }

 private:
  std::shared_ptr<const ZipArchive> archive_;
  std::string prefix_;
};

}  // namespace

std::unique_ptr<const Package> Package::open(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return std::make_unique<Folder>(path);
  return std::make_unique<Archive>(path);
}

}  // namespace nmt
