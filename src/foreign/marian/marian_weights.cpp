#include "foreign/marian/marian_weights.h"

#include <cstdint>
#include <vector>

#include "common/error.h"
#include "foreign/marian/marian_names.h"

namespace nmt {
namespace {

constexpr const char *kOutput = "decoder_ff_logit_out_Wt", *kOldOutput = "decoder_ff_logit_out_W";

std::string rows_in(const ForeignTensors& tensors, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const TensorFile::Entry* entry = tensors.file().find(name);
    if (entry != nullptr && entry->shape.size() == 2) return std::to_string(entry->shape[0]);
  }
  throw Error("'{}' has no tensor '{}'; the file is not complete", tensors.file().path(), names.back());
}

/// Whether it is the matrix or bias behind attention, which transformer-no-projection leaves out.
bool is_projection(const Correspondence& pair) {
  return pair.theirs.ends_with("_Wo") || pair.theirs.ends_with("_bo");
}

}  // namespace

void add_settings_of_tensors(const ForeignTensors& tensors, ModelSettings& settings) {
  settings["source_vocabulary"] = rows_in(tensors, {"Wemb", "encoder_Wemb"});
  settings["target_vocabulary"] = rows_in(tensors, {"Wemb", "decoder_Wemb"});
  // The setting transformer-train-position-embeddings says nothing. Learned positions come with embeddings as
  // they are.
  if (!tensors.has("Wpos")) return;
  settings["positions"] = "learned";
  settings["max_positions"] = rows_in(tensors, {"Wpos"});
  settings["embedding_scale"] = "1";
}

std::map<std::string, WeightSource> marian_weights(ForeignTensors& tensors, const ModelSettings& settings) {
  const std::int64_t d_model = integer_setting(settings, "d_model", 1, 1 << 24);
  std::vector<Correspondence> names = marian_names(settings);
  std::map<std::string, WeightSource> without_projection;
  std::erase_if(names, [&](const Correspondence& pair) {
    if (!is_projection(pair) || tensors.has(pair.theirs)) return false;
    without_projection[pair.ours] = pair.form == Form::transposed ? identity(d_model) : filled(1, d_model, 0);
    return true;
  });
  for (Correspondence& pair : names) {
    if (pair.theirs == kOutput && !tensors.has(kOutput))
      pair = {pair.ours, kOldOutput, Form::transposed};  // as very old files have it
  }
  std::map<std::string, WeightSource> weights = ours_from(names, tensors);
  weights.merge(without_projection);
  return weights;
}

}  // namespace nmt
