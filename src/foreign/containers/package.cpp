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

class Archive final : public Package {
 public:
  explicit Archive(const std::string& path) : Package(path), archive_(path) {}

  bool has(const std::string& name) const override { return archive_.contains(name); }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, size] : archive_.sizes()) names.push_back(name);
    return names;
  }
  /// Maps a file, decompressed into an unnamed temporary file.
  MemoryMap map(const std::string& name) const override {
    constexpr std::uint64_t kAtOnce = 1 << 20;
    if (!has(name)) throw Error("'{}' holds no '{}'; the archive is not complete", archive_.path(), name);
    const std::uint64_t size = archive_.sizes().at(name);
    std::vector<std::byte> bytes;
    Spool spool;
    for (std::uint64_t begin = 0; begin < size; begin += bytes.size()) {
      bytes.resize(std::min(kAtOnce, size - begin));
      archive_.read(name, begin, bytes);
      spool.append(bytes.data(), bytes.size());
    }
    return spool.map();
  }

 private:
  ZipArchive archive_;
};

}  // namespace

std::unique_ptr<const Package> Package::open(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return std::make_unique<Folder>(path);
  return std::make_unique<Archive>(path);
}

}  // namespace nmt
