// Model files that contain only updates of low rank and name the model that they belong to, their base.
//
// Such a file is a model file with the vocabularies, the two matrices of each update (see LowRankWeights) and
// the metadata `lora`: JSON with rank, alpha, base (a path) and base_checksum.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "nn/files/model_file.h"
#include "nn/weights/low_rank_settings.h"

namespace nmt {

/// The model whose weights updates of low rank change.
struct LowRankBase {
  LowRankSettings settings;
  std::string path;      // absolute
  std::string checksum;  // checksum_of_weights()
};

/// The metadata of files with updates, and of models into which updates were merged.
inline constexpr const char* kLowRankKey = "lora";
inline constexpr const char* kMergedKey = "merged_lora";

/// Returns a checksum of everything that a model file contains or, if it has none, as models of other
/// toolkits, of its weights.
std::string checksum_of_weights(const ModelFile& file);

/// Returns the metadata of a file with updates, to which others may be added.
std::map<std::string, std::string> low_rank_metadata(const LowRankBase& base);
/// Returns the base that a file names under this key; nothing if it has no such metadata. Throws Error if
/// they are invalid.
std::optional<LowRankBase> low_rank_base(const ModelFile& file, const char* key = kLowRankKey);
/// Returns the base that the file at `path` names. Reads only the header of the file. Returns nothing if
/// there is no such file, or no base in it.
std::optional<LowRankBase> peek_at_base(const std::string& path);

/// Throws Error if `base` is not the model that the updates in the file `updates` belong to.
void check_base(const LowRankBase& expected, const ModelFile& base, const std::string& updates);
/// Returns the model with its updates, W + alpha / rank * b^T a, which is computed in f64 and rounded to f32
/// when a tensor is read. Throws Error if names or shapes do not fit together; see check_base().
ModelFile merged_model(ModelFile updates, ModelFile base);

}  // namespace nmt
