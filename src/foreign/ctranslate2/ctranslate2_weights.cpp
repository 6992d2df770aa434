#include "foreign/ctranslate2/ctranslate2_weights.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/error.h"
#include "foreign/correspondence.h"
#include "foreign/ctranslate2/ctranslate2_names.h"
#include "foreign/ctranslate2/ctranslate2_settings.h"
#include "foreign/position_table.h"

namespace nmt {
namespace {

bool are_equal(const WeightSource& a, const WeightSource& b) {
  return a.rows == b.rows && a.columns == b.columns && a.values() == b.values();
}

std::string tying_of(ForeignTensors& tensors, bool one_vocabulary) {
  const WeightSource source = tensors(ctranslate2_source_table(tensors)),
                     target = tensors("decoder/embeddings/weight"),
                     output = tensors("decoder/projection/weight");
  const bool inputs = one_vocabulary && are_equal(source, target), outputs = are_equal(target, output);
  if (inputs) return outputs ? "all" : "inputs";
  return outputs ? "target" : "none";
}

void add_positions(ForeignTensors& tensors, ModelSettings& settings) {
  const std::string source = ctranslate2_positions("encoder"), target = ctranslate2_positions("decoder");
  if (!tensors.has(source) && !tensors.has(target)) {  // CTranslate2 computes positions itself
    const ComputedPositions usual = {"tensor2tensor", 1};
    return set_positions(usual, usual, settings);
  }
  const WeightSource encoder = tensors(source), decoder = tensors(target);
  const std::int64_t d_model = integer_setting(settings, "d_model", 0, 1 << 24);
  set_positions(computed_positions(encoder.values(), d_model), computed_positions(decoder.values(), d_model),
                settings);
  if (settings["positions"] == "learned")
    settings["max_positions"] = std::to_string(std::min(encoder.rows, decoder.rows));
}

}  // namespace

void add_settings_of_weights(ForeignTensors& tensors, bool one_vocabulary, ModelSettings& settings) {
  settings["tied_embeddings"] = tying_of(tensors, one_vocabulary);
  add_positions(tensors, settings);
}

std::map<std::string, WeightSource> ctranslate2_weights(ForeignTensors& tensors,
                                                        const ModelSettings& settings) {
  const TensorOf with_zeros = with_biases(tensors);
  const TensorOf tensor = [&](const std::string& name) {
    const bool is_source_table = name == "encoder/embeddings_0/weight";
    return with_zeros(is_source_table ? ctranslate2_source_table(tensors) : name);
  };
  std::map<std::string, WeightSource> weights = ours_from(ctranslate2_names(settings), tensor);
  if (settings.at("positions") != "learned") return weights;
  const std::int64_t rows = integer_setting(settings, "max_positions", 1, 1 << 24);
  weights["source_positions.weight"] = rows_of(tensors(ctranslate2_positions("encoder")), 0, rows);
  weights["target_positions.weight"] = rows_of(tensors(ctranslate2_positions("decoder")), 0, rows);
  return weights;
}

}  // namespace nmt
