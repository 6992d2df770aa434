#include "foreign/containers/pytorch/torch_checkpoint.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <utility>

#include "common/io/memory_map.h"
#include "foreign/containers/pytorch/pickled_json.h"
#include "foreign/containers/pytorch/strided_tensors.h"
#include "foreign/containers/zip_archive.h"

namespace nmt {
namespace {

using namespace std::string_view_literals;

/// The pickled number at the beginning of files before PyTorch 1.6: PROTO 2, LONG1 0x1950a86a20f9469cfc6c,
/// STOP.
constexpr std::string_view kMagicPickle = "\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19."sv;
constexpr std::int64_t kProtocolVersion = 1001;

[[noreturn]] void refuse_big_endian(const std::string& path) {
  throw Error("cannot load '{}': its numbers are big-endian; save it as safetensors", path);
}

/// Returns the bytes of a storage; UINT64_MAX if there are more.
std::uint64_t bytes_in(const PickledStorage& storage) {
  std::uint64_t bytes = 0;
  return __builtin_mul_overflow(storage.elements, size_of(storage.type), &bytes) ? UINT64_MAX : bytes;
}

/// Returns the dictionary of tensors in the value of a pickle.
using TensorsIn = std::function<PickledValue(const PickledValue& value)>;

/// Describes the contents of a checkpoint.
struct Contents {
  UnknownObjects objects = UnknownObjects::refused;
  TensorsIn tensors = [](const PickledValue& value) { return value; };
};

class ZippedCheckpoint : public StridedTensors {
 public:
  ZippedCheckpoint(const std::string& path, const Contents& contents)
      : StridedTensors(path), archive_(path), root_(root_of(archive_)) {
    constexpr std::string_view kByteOrder = "byteorder", kLittle = "little";
    if (archive_.contains(root_ + std::string(kByteOrder)) &&
        text(kByteOrder).substr(0, kLittle.size()) != kLittle)
      refuse_big_endian(path);
    if (archive_.contains(root_ + "constants.pkl")) {
      throw Error("cannot load '{}': it is a program (TorchScript); save the model's state_dict()", path);
    }
    const std::string bytes = text("data.pkl");
    ByteReader reader(bytes, path);
    const Pickle pickle(reader, path, contents.objects);
    add_all(contents.tensors(pickle.value()));
  }

 private:
  /// Returns the folder that contains all entries, with its slash.
  static std::string root_of(const ZipArchive& archive) {
    constexpr std::string_view kPickle = "/data.pkl";
    for (const auto& [name, size] : archive.sizes()) {
      if (name.ends_with(kPickle) && name.find('/') == name.size() - kPickle.size())
        return name.substr(0, name.size() - kPickle.size() + 1);
    }
    throw Error(
        "'{}' is not a checkpoint of PyTorch: it is a zip archive without a data.pkl; name another file",
        archive.path());
  }

  std::string text(std::string_view name) const {
    const std::string full = root_ + std::string(name);
    std::string bytes(archive_.sizes().at(full), '\0');
    archive_.read(full, 0, std::as_writable_bytes(std::span(bytes)));
    return bytes;
  }

  std::string name_of_storage(std::string_view key) const { return root_ + "data/" + std::string(key); }

  bool has(const PickledStorage& storage) const override {
    const auto found = archive_.sizes().find(name_of_storage(storage.key));
    return found != archive_.sizes().end() && found->second == bytes_in(storage);
  }

  void read_storage(const std::string& key, std::uint64_t begin, std::span<std::byte> to) const override {
    archive_.read(name_of_storage(key), begin, to);
  }

  ZipArchive archive_;
  std::string root_;
};

/// One file of five pickles (magic number, protocol, facts of the system, the dictionary, keys of storages),
/// followed for each key by u64 elements and the bytes of a storage.
class LegacyCheckpoint : public StridedTensors {
 public:
  LegacyCheckpoint(const std::string& path, MemoryMap map, const Contents& contents)
      : StridedTensors(path), map_(std::move(map)) {
    ByteReader reader(map_.text(), path);
    reader.bytes(kMagicPickle.size());
    const Pickle protocol(reader, path), system(reader, path);
    const Pickle dictionary(reader, path, contents.objects), keys(reader, path);
    if (protocol.value() != PickledValue(kProtocolVersion)) {
      throw damaged(path, "it is of an unknown version of PyTorch's format");
    }
    check_system(system.value());
    find_storages(reader, keys.value(), dictionary);
    add_all(contents.tensors(dictionary.value()));
  }

 private:
  void check_system(const PickledValue& facts) const {
    const auto* const* dictionary = std::get_if<PickledSequence*>(&facts);
    if (dictionary == nullptr || !(*dictionary)->is_dict())
      throw damaged(path(), "it lacks facts of the system");
    const std::vector<PickledValue>& items = (*dictionary)->items;
    for (std::size_t i = 0; i < items.size(); i += 2) {
      if (items[i] == PickledValue("little_endian"sv) && items[i + 1] != PickledValue(true))
        refuse_big_endian(path());
    }
  }

  void find_storages(ByteReader& reader, const PickledValue& keys, const Pickle& dictionary) {
    const auto* const* list = std::get_if<PickledSequence*>(&keys);
    if (list == nullptr || (*list)->is_dict()) throw damaged(path(), "it has no list of storages");
    std::map<std::string_view, ElementType> types;
    for (const PickledStorage& storage : dictionary.storages()) types.emplace(storage.key, storage.type);
    for (const PickledValue& key : (*list)->items) {
      const auto* text = std::get_if<std::string_view>(&key);
      const auto type = text == nullptr ? types.end() : types.find(*text);
      if (type == types.end()) throw damaged(path(), "it has a storage that no tensor is in");
      const auto elements = reader.number<std::uint64_t>();
      storages_[std::string(*text)] = reader.records(elements, size_of(type->second));
    }
  }

  bool has(const PickledStorage& storage) const override {
    const auto found = storages_.find(std::string(storage.key));
    return found != storages_.end() && found->second.size() == bytes_in(storage);
  }

  void read_storage(const std::string& key, std::uint64_t begin, std::span<std::byte> to) const override {
    std::memcpy(to.data(), storages_.at(key).data() + begin, to.size());
    map_.finish_reading();
  }

  MemoryMap map_;
  std::map<std::string, std::string_view> storages_;  // by key
};

/// Whether a file is a tape archive, by the end of its first header.
bool is_tar(std::string_view bytes) {
  constexpr std::size_t kMagicOfTar = 257;
  return bytes.size() > kMagicOfTar && bytes.substr(kMagicOfTar).starts_with("ustar");
}

std::unique_ptr<TensorFile> open_checkpoint(const std::string& path, const Contents& contents) {
  MemoryMap map = map_file(path);
  const std::string_view bytes = map.text();
  if (bytes.starts_with("PK")) return std::make_unique<ZippedCheckpoint>(path, contents);
  if (bytes.starts_with(kMagicPickle))
    return std::make_unique<LegacyCheckpoint>(path, std::move(map), contents);
  if (is_tar(bytes)) {
    throw Error("cannot load '{}': it is of PyTorch before 0.2; load it with a later one and save it again",
                path);
  }
  throw Error("'{}' is not a checkpoint of PyTorch; name another file", path);
}

}  // namespace

std::unique_ptr<TensorFile> open_torch_checkpoint(const std::string& path) {
  return open_checkpoint(path, {});
}

TrainingCheckpoint open_training_checkpoint(const std::string& path, const std::string& tensors,
                                            const std::vector<std::string>& settings) {
  TrainingCheckpoint checkpoint;
  const auto take = [&](const PickledValue& value) {
    for (const std::string& key : settings) checkpoint.settings[key] = as_json(entry_of(value, key), path);
    return entry_of(value, tensors);
  };
  checkpoint.tensors = open_checkpoint(path, {.objects = UnknownObjects::kept, .tensors = take});
  return checkpoint;
}

}  // namespace nmt
