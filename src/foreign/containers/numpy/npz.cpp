#include "foreign/containers/numpy/npz.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "foreign/containers/marian_config.h"
#include "foreign/containers/numpy/npy_header.h"
#include "foreign/containers/stored_zip.h"
#include "foreign/containers/zip_archive.h"

namespace nmt {
namespace {

constexpr std::string_view kEnding = ".npy";

class NpzFile : public TensorFile {
 public:
  NpzFile(MemoryMap map, const std::string& path) : TensorFile(path), archive_(std::move(map), path) {
    for (const auto& [entry_name, size] : archive_.sizes()) {
      if (!entry_name.ends_with(kEnding)) {
        throw Error("'{}' is not an archive of NumPy (npz): it holds {}; name another file", path,
                    in_quotes(entry_name));
      }
      add_array(entry_name, size);
    }
    if (entries().empty()) throw Error("'{}' holds no arrays of NumPy; name another file", path);
  }

  void load(const std::string& name, std::span<std::byte> to) const override {
    const std::string entry_name = name + std::string(kEnding);
    archive_.read(entry_name, archive_.sizes().at(entry_name) - to.size(), to);
  }

 private:
  void add_array(const std::string& entry_name, std::uint64_t size) {
    const std::string shown = fmt::format("{} of '{}'", in_quotes(entry_name), path());
    const std::string prefix = beginning(entry_name, std::min<std::uint64_t>(kNpyPrefix, size));
    const std::uint64_t length = npy_header_length(prefix, shown);
    if (length > size) throw damaged(path(), in_quotes(entry_name) + " ends within its header");
    const NpyHeader header = parse_npy_header(beginning(entry_name, length), shown);
    const std::string name = entry_name.substr(0, entry_name.size() - kEnding.size());
    add(name, {.type = header.type, .shape = header.shape});
    if (entry(name).bytes() != size - length) {
      throw damaged(path(), fmt::format("{} has {} bytes of elements, but its header asks for {}",
                                        in_quotes(entry_name), size - length, entry(name).bytes()));
    }
  }

  std::string beginning(const std::string& entry_name, std::uint64_t count) const {
    std::string bytes(count, '\0');
    archive_.read(entry_name, 0, std::as_writable_bytes(std::span(bytes)));
    return bytes;
  }

  ZipArchive archive_;
};

}  // namespace

std::unique_ptr<TensorFile> open_npz(const std::string& path) {
  return npz_in(map_file(path), path);
}

std::unique_ptr<TensorFile> npz_in(MemoryMap map, const std::string& name) {
  return std::make_unique<NpzFile>(std::move(map), name);
}

void write_npz(const std::string& path, std::vector<OutputTensor> tensors, const std::string& config) {
  sort_by_name(tensors, path);
  tensors.push_back(marian_config_tensor(config));
  const auto entry_name = [](const OutputTensor& tensor) { return tensor.name + std::string(kEnding); };
  const auto header = [](const OutputTensor& tensor) { return npy_header({tensor.type, tensor.shape}); };
  std::uint64_t size = StoredZip::kEndBytes;
  for (const OutputTensor& tensor : tensors)
    size += StoredZip::entry_bytes(entry_name(tensor)) + header(tensor).size() + tensor.bytes();
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(
        "cannot write '{}': it would have {} bytes, and an npz that Marian reads has less than 4 GiB; "
        "write a .bin file",
        path, size);
  }
  StoredZip archive(path);
  for (const OutputTensor& tensor : tensors) archive.add(entry_name(tensor), header(tensor), tensor.made());
  archive.commit();
}

}  // namespace nmt
