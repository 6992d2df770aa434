#include "foreign/containers/weight_folder.h"

#include <array>
#include <filesystem>
#include <map>
#include <utility>

#include "foreign/containers/pytorch/torch_checkpoint.h"
#include "foreign/containers/safetensors_file.h"
#include "foreign/containers/weight_map.h"

namespace nmt {
namespace {

using Open = std::unique_ptr<TensorFile> (*)(const std::string& path);

/// Tensors divided among several files.
class ShardedTensors : public TensorFile {
 public:
  using TensorFile::TensorFile;

  /// Adds tensors as an index says.
  void add_all(const std::string& index, const std::string& folder, Open open) {
    for (const auto& [name, file] : read_weight_map(index)) {
      std::unique_ptr<TensorFile>& shard = shards_[file];
      if (!shard) shard = open((std::filesystem::path(folder) / file).string());
      if (shard->find(name) == nullptr) {
        throw Error("'{}' has no tensor {}, which '{}' says that it has; copy both again", shard->path(),
                    in_quotes(name), index);
      }
      add_one(name, *shard);
    }
  }
  /// Adds all tensors of a file.
  void add_all(std::unique_ptr<TensorFile> shard) {
    for (const auto& [name, entry] : shard->entries()) add_one(name, *shard);
    const std::string path = shard->path();
    shards_[path] = std::move(shard);
  }

  void load(const std::string& name, std::span<std::byte> to) const override {
    shard_of_.at(name)->load(name, to);
  }

 private:
  void add_one(const std::string& name, const TensorFile& shard) {
    add(name, *shard.find(name));
    shard_of_.emplace(name, &shard);
  }

  std::map<std::string, std::unique_ptr<TensorFile>> shards_;  // by file name
  std::map<std::string, const TensorFile*> shard_of_;          // by tensor name
};

}  // namespace

std::unique_ptr<TensorFile> open_weight_folder(const std::string& folder) {
  constexpr std::array<std::pair<const char*, Open>, 2> kKinds = {
      {{"model.safetensors", open_safetensors}, {"pytorch_model.bin", open_torch_checkpoint}}};
  for (const auto& [name, open] : kKinds) {
    const std::string path = (std::filesystem::path(folder) / name).string(), index = path + ".index.json";
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return open(path);
    if (!std::filesystem::exists(index, ignored)) continue;
    auto tensors = std::make_unique<ShardedTensors>(index);
    tensors->add_all(index, folder, open);
    return tensors;
  }
  throw Error(
      "'{}' holds no weights: there is neither model.safetensors nor pytorch_model.bin, nor an index of "
      "parts of one; name a folder with all files of a model",
      folder);
}

std::unique_ptr<TensorFile> open_numbered_safetensors(const std::string& folder) {
  auto tensors = std::make_unique<ShardedTensors>(folder);
  for (int number = 0;; ++number) {
    const auto path = std::filesystem::path(folder) / fmt::format("model.{:02}.safetensors", number);
    std::error_code ignored;
    if (number > 0 && !std::filesystem::exists(path, ignored)) return tensors;
    tensors->add_all(open_safetensors(path.string()));
  }
}

}  // namespace nmt
