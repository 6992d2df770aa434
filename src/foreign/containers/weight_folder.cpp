#include "foreign/containers/weight_folder.h"

#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/io/memory_map.h"
#include "foreign/containers/pytorch/torch_checkpoint.h"
#include "foreign/containers/safetensors_file.h"
#include "foreign/containers/tensor_file.h"
#include "nn/files/safetensors.h"

namespace nmt {
namespace {

/// Extracts the map as the JSON is parsed and ignores everything else, at any depth.
class WeightMapReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit WeightMapReader(const std::string& path) : path_(path) {}

  std::map<std::string, std::string> take() {
    if (!has_map_) fail("it has no 'weight_map'");
    return std::move(files_);
  }

  bool start_object(std::size_t /*size*/) override {
    if (in_map()) fail("its 'weight_map' holds an object");
    ++depth_;
    if (depth_ == 2 && outer_key_ == "weight_map") {
      if (std::exchange(has_map_, true)) fail("it has two entries 'weight_map'");
      map_is_open_ = true;
    }
    return true;
  }

  bool end_object() override {
    if (in_map()) map_is_open_ = false;
    --depth_;
    return true;
  }

  bool key(std::string& text) override {
    if (depth_ == 1) outer_key_ = text;
    if (in_map()) tensor_ = text;
    return true;
  }

  bool string(std::string& text) override {
    if (!in_map()) return true;
    check_name(text);
    if (files_.size() == kMostTensors) fail(fmt::format("it has more than {} tensors", kMostTensors));
    if (!files_.emplace(tensor_, text).second) fail("it has two entries " + in_quotes(tensor_));
    return true;
  }

  bool start_array(std::size_t /*size*/) override {
    ++depth_;
    return other("a list");
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool null() override { return other("null"); }
  bool boolean(bool /*value*/) override { return other("true or false"); }
  bool number_integer(std::int64_t /*value*/) override { return other("a number"); }
  bool number_unsigned(std::uint64_t /*value*/) override { return other("a number"); }
  bool number_float(double /*value*/, const std::string& /*text*/) override { return other("a number"); }
  bool binary(nlohmann::json::binary_t& /*value*/) override { return other("binary data"); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    fail("it is not valid JSON at its byte " + std::to_string(position));
  }

 private:
  bool in_map() const { return map_is_open_; }

  /// Rejects other values where tensors and files are expected.
  bool other(const char* what) {
    if (in_map()) fail(fmt::format("its 'weight_map' holds {}", what));
    return true;
  }

  /// Rejects a name that could lead out of the folder, as no toolkit writes one.
  void check_name(const std::string& name) const {
    if (name.empty() || name.starts_with('.') ||
        name.find_first_of(std::string("/\\\0", 3)) != std::string::npos)
      fail("it names a file " + in_quotes(name) + ", which is not in its folder");
  }

  [[noreturn]] void fail(const std::string& what) const { throw damaged(path_, what); }

  const std::string& path_;
  std::map<std::string, std::string> files_;
  std::string outer_key_, tensor_;
  int depth_ = 0;
  bool has_map_ = false, map_is_open_ = false;
};

}  // namespace

std::map<std::string, std::string> read_weight_map(const std::string& path) {
  const std::string text = map_file(path).copy();
  WeightMapReader reader(path);
  nlohmann::json::sax_parse(text, &reader);
  return reader.take();
}

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

  void load(const std::string& name, std::size_t begin, std::span<std::byte> to) const override {
    shard_of_.at(name)->load(name, begin, to);
  }
  const std::byte* mapped(const std::string& name) const override { return shard_of_.at(name)->mapped(name); }
  void check_unchanged() const override {
    for (const auto& [file, shard] : shards_) shard->check_unchanged();
  }
  void finish_reading() const override {
    for (const auto& [file, shard] : shards_) shard->finish_reading();
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
