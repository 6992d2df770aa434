#include "foreign/marian/marian_weights.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/error.h"
#include "foreign/marian/marian_names.h"
#include "foreign/marian/marian_recurrent.h"

namespace nmt {
namespace {

/// Names of the matrix of the output layer, [V, d], and in older files, [d, V].
constexpr std::array kOutputs = {std::pair{"decoder_ff_logit_out_Wt", "decoder_ff_logit_out_W"},
                                 std::pair{"decoder_ff_logit_l2_Wt", "decoder_ff_logit_l2_W"}};

/// A scalar that marks files with the names of type amun.
constexpr const char* kMarkOfAmun = "decoder_c_tt";

std::string rows_in(const ForeignTensors& tensors, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const TensorFile::Entry* entry = tensors.file().find(name);
    if (entry != nullptr && entry->shape.size() == 2) return std::to_string(entry->shape[0]);
  }
  throw Error("'{}' has no tensor '{}'; the file is not complete", tensors.file().path(), names.back());
}

/// Whether it is the matrix or bias after attention, which transformer-no-projection omits.
bool is_projection(const Correspondence& pair) {
  return pair.theirs.ends_with("_Wo") || pair.theirs.ends_with("_bo");
}

/// The projections after attention are optional in a Transformer.
std::map<std::string, WeightSource> transformer_weights(ForeignTensors& tensors,
                                                        const ModelSettings& settings,
                                                        std::vector<Correspondence> names) {
  const std::int64_t d_model = integer_setting(settings, "d_model", 1, 1 << 24);
  std::map<std::string, WeightSource> without_projection;
  std::erase_if(names, [&](const Correspondence& pair) {
    if (!is_projection(pair) || tensors.has(pair.theirs)) return false;
    without_projection[pair.ours] = pair.form == Form::transposed ? identity(d_model) : filled(1, d_model, 0);
    return true;
  });
  std::map<std::string, WeightSource> weights = ours_from(names, tensors);
  weights.merge(without_projection);
  return weights;
}

}  // namespace

void add_settings_of_tensors(const ForeignTensors& tensors, ModelSettings& settings) {
  settings["source_vocabulary"] = rows_in(tensors, {"Wemb", "encoder_Wemb"});
  settings["target_vocabulary"] = rows_in(tensors, {amun_name("decoder_Wemb"), "Wemb", "decoder_Wemb"});
  // The setting transformer-train-position-embeddings is not reliable. With learned positions, embeddings are
  // not scaled.
  if (settings.at("type") != "transformer" || !tensors.has("Wpos")) return;
  settings["positions"] = "learned";
  settings["max_positions"] = rows_in(tensors, {"Wpos"});
  settings["embedding_scale"] = "1";
}

std::map<std::string, WeightSource> marian_weights(ForeignTensors& tensors, const ModelSettings& settings) {
  std::vector<Correspondence> names = marian_names(settings);
  for (Correspondence& pair : names) {
    for (const auto& [name, old_name] : kOutputs) {
      if (pair.theirs == name && !tensors.has(name)) pair = {pair.ours, old_name, Form::transposed};
    }
  }
  if (settings.at("type") != "rnn") return transformer_weights(tensors, settings, std::move(names));
  for (Correspondence& pair : names) {
    if (!tensors.has(pair.theirs)) pair.theirs = amun_name(pair.theirs);
  }
  tensors.ignore(kMarkOfAmun);
  return ours_from(names, tensors);
}

}  // namespace nmt
