#include "nn/saved/low_rank_model.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/io/checksum.h"
#include "common/io/folder.h"
#include "common/io/memory_map.h"
#include "nn/files/file_weights.h"
#include "nn/files/foreign_file.h"
#include "nn/files/safetensors.h"
#include "nn/weights/low_rank.h"
#include "nn/weights/parameter_files.h"

namespace nmt {
namespace {

using Json = nlohmann::ordered_json;

/// Whether this is a file that begins like a safetensors file. Other files, such as texts, are not mapped.
bool is_safetensors_file(const std::string& path) {
  if (!is_file(path)) return false;
  std::array<char, 16> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  return looks_like_safetensors({begin.data(), static_cast<std::size_t>(file.gcount())});
}

/// The two files of a merged model.
class BothFiles final : public WatchedFiles {
 public:
  BothFiles(ModelFile updates, ModelFile base) : updates_(std::move(updates)), base_(std::move(base)) {}

  const ModelFile& updates() const { return updates_; }
  const ModelFile& base() const { return base_; }
  void check_unchanged() const override {
    updates_.check_unchanged();
    base_.check_unchanged();
  }
  void finish_reading() const override {
    updates_.finish_reading();
    base_.finish_reading();
  }

 private:
  ModelFile updates_, base_;
};

/// The update of one weight.
class MergedWeight {
 public:
  /// Throws Error if the matrices of the update do not fit the weight. `files` must outlive this object.
  MergedWeight(const BothFiles& files, const FileTensor& weight, const LowRankSettings& settings)
      : settings_(settings),
        weight_(files.base(), weight.name, weight.shape, true),
        a_(matrix(files.updates(), low_rank_a(weight.name), settings)),
        b_(matrix(files.updates(), low_rank_b(weight.name), settings)) {
    const std::int64_t parts = a_.rows() / settings.rank;
    if (weight.shape.size() != 2 || a_.columns() != weight_.columns() || a_.rows() != b_.rows() ||
        parts * b_.columns() != weight_.rows()) {
      throw Error("'{}': the update of '{}' does not fit the weight in '{}'", a_.path(), weight.name,
                  weight_.path());
    }
  }

  std::vector<float> elements(RowRange range) const {
    std::vector<double> sum = ReadWeights(weight_, range).elements(0, range.count);
    const std::vector<double> a = a_.elements(), b = b_.elements();
    const auto in = static_cast<std::size_t>(a_.columns()), out = static_cast<std::size_t>(b_.columns()),
               rank = static_cast<std::size_t>(settings_.rank);
    for (std::size_t i = 0; i < static_cast<std::size_t>(range.count); ++i) {
      const std::size_t row = static_cast<std::size_t>(range.begin) + i;
      for (std::size_t r = row / out * rank; r < (row / out + 1) * rank; ++r) {
        const double factor = settings_.scale() * b[r * out + row % out];
        for (std::size_t f = 0; f < in; ++f) sum[i * in + f] += factor * a[r * in + f];
      }
    }
    return {sum.begin(), sum.end()};
  }

 private:
  /// Returns a matrix of an update, with `rank` rows for each part.
  static FileWeights matrix(const ModelFile& file, const std::string& name, const LowRankSettings& settings) {
    const FileTensor* const tensor = file.find(name);
    if (tensor == nullptr || tensor->shape.size() != 2 || tensor->shape[0] % settings.rank != 0 ||
        tensor->size() == 0) {
      throw Error("'{}': the tensor '{}' is missing, or does not have {} rows for each matrix", file.path(),
                  name, settings.rank);
    }
    return {file, name, tensor->shape, false};
  }

  LowRankSettings settings_;
  FileWeights weight_, a_, b_;
};

/// Parses the metadata of a file with updates; nothing if something is missing or invalid.
std::optional<LowRankBase> base_in(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    LowRankBase base{{json.at("rank"), json.at("alpha")}, json.at("base"), json.at("base_checksum")};
    if (json.at("rank").is_number_integer() && base.settings.rank > 0) return base;
  } catch (const nlohmann::json::exception&) {  // something is missing, or has another type
  }
  return std::nullopt;
}

/// Returns the name of the weight that a matrix of an update belongs to; empty for other tensors.
std::string weight_of_update(const std::string& tensor) {
  const std::string ending = low_rank_a("");
  return tensor.ends_with(ending) ? tensor.substr(0, tensor.size() - ending.size()) : "";
}

}  // namespace

std::string checksum_of_weights(const ModelFile& file) {
  if (std::string known = file.metadata("checksum"); !known.empty()) return known;
  Checksum checksum;
  for (const FileTensor& tensor : file.tensors()) {
    if (!is_weight(tensor)) continue;
    checksum.add(tensor.name);
    tensor.each_part([&](const std::byte* data, std::size_t bytes) {
      checksum.add(data, bytes);
      file.finish_reading();
    });
  }
  return checksum.digits();
}

std::map<std::string, std::string> low_rank_metadata(const LowRankBase& base) {
  return {{kLowRankKey, Json{{"rank", base.settings.rank},
                             {"alpha", base.settings.alpha},
                             {"base", base.path},
                             {"base_checksum", base.checksum}}
                            .dump()}};
}

std::optional<LowRankBase> low_rank_base(const ModelFile& file, const char* key) {
  const std::string text = file.metadata(key);
  if (text.empty()) return std::nullopt;
  if (auto base = base_in(text)) return base;
  throw damaged(file.path(), fmt::format("its metadata `{}` are invalid", key));
}

std::optional<LowRankBase> peek_at_base(const std::string& path) {
  if (!is_safetensors_file(path)) return std::nullopt;
  try {
    const MemoryMap map = map_file(path);
    const std::map<std::string, std::string> metadata = parse_safetensors(map.text(), path).metadata;
    const auto text = metadata.find(kLowRankKey);
    return text == metadata.end() ? std::nullopt : base_in(text->second);
  } catch (const Error&) {  // damaged, or another kind of file
    return std::nullopt;
  }
}

void check_base(const LowRankBase& expected, const ModelFile& base, const std::string& updates) {
  if (checksum_of_weights(base) == expected.checksum) return;
  throw Error(
      "'{}' is not the model that '{}' was trained on: its checksum differs; put the original in its place",
      base.path(), updates);
}

ModelFile merged_model(ModelFile updates, ModelFile base) {
  const LowRankBase reference = low_rank_base(updates).value();
  const auto files = std::make_shared<const BothFiles>(std::move(updates), std::move(base));
  std::vector<FileTensor> tensors;
  std::set<std::string> merged_names;  // and those of scales, which merged weights do not have
  for (const FileTensor& tensor : files->updates().tensors()) {
    if (!is_weight(tensor)) tensors.push_back(tensor);
    const std::string weight = weight_of_update(tensor.name);
    if (weight.empty()) continue;
    const FileTensor* const of_base = files->base().find(weight);
    if (of_base == nullptr) {
      throw Error("'{}': '{}' has no tensor '{}' that could be updated", files->updates().path(),
                  files->base().path(), weight);
    }
    const MergedWeight merged(*files, *of_base, reference.settings);
    tensors.push_back({weight, DType::f32, of_base->shape, nullptr,
                       [merged](RowRange range) { return merged.elements(range); }});
    merged_names.insert({weight, scale_name(weight)});
  }
  for (const FileTensor& tensor : files->base().tensors())
    if (is_weight(tensor) && !merged_names.contains(tensor.name)) tensors.push_back(tensor);
  std::map<std::string, std::string> metadata = files->updates().further_metadata();
  auto reference_text = metadata.extract(kLowRankKey);
  reference_text.key() = kMergedKey;
  metadata.insert(std::move(reference_text));
  metadata["checksum"] = files->updates().checksum();
  return {files->updates().path(), files->updates().config(), std::move(tensors), files, std::move(metadata)};
}

}  // namespace nmt
