// Fuzz target: model files.
#include "backend/factory.h"
#include "fuzz/check.h"
#include "fuzz/safetensors_parts.h"
#include "fuzz/scratch_file.h"
#include "fuzz/target.h"
#include "nn/files/file_weights.h"
#include "nn/saved/convert.h"
#include "nn/transformer/transformer_config.h"
#include "translate/service/translator.h"
#include "translate/text_model.h"

namespace nmt::fuzz {
namespace of_model {
namespace {

/// Returns the backend that the program uses by default.
Backend& backend(bool for_quantized = false) {
  static const std::unique_ptr<Backend> usual = open_backend({.device = "cpu"});
  static const std::unique_ptr<Backend> quantized = open_backend({.device = "cpu", .quantized_models = true});
  return for_quantized ? *quantized : *usual;
}

/// Returns the file of a small model with these settings.
std::string model_bytes(nlohmann::json overrides) {
  overrides.update({{"d_model", 4}, {"d_ff", 6}});
  const SavedModel model = testing::text_model(backend(), seed_vocabulary(), overrides);
  const std::string path = scratch_file("seed", "");
  save_model(path, write_model_settings(model.settings), model.vocabularies, model.model->training_weights());
  return read_bytes(path);
}

/// Returns the file of a small model with 8-bit weights.
std::string quantized_bytes(const nlohmann::json& overrides) {
  const std::string path = scratch_file("wide", model_bytes(overrides));
  const std::string quantized = scratch_file("quantized", "");
  convert_model(ModelFile(path), DType::i8, quantized);
  return read_bytes(quantized);
}

std::vector<std::string> seeds() {
  return {model_bytes({}),
          model_bytes({{"norm", "pre"}, {"activation", "gelu"}, {"decoder_start", "zero"}}),
          model_bytes({{"positions", "learned"},
                       {"max_positions", 9},
                       {"tied_embeddings", "target"},
                       {"layer_norm_epsilon", 0}}),
          model_bytes({{"tied_embeddings", "none"}, {"encoder_layers", 2}, {"heads", 4}}),
          model_bytes({{"norm", "both"},
                       {"embedding_norm", "true"},
                       {"output_bias", "false"},
                       {"positions", "tensor2tensor"},
                       {"decoder_start", "eos"},
                       {"decoder_layers", 2},
                       {"tied_decoder_layers", "1 1"},
                       {"decoder_layer", "average"}}),
          model_bytes({{"decoder_layer", "ssru"}, {"ssru_projection", "true"}}),
          quantized_bytes({}),
          quantized_bytes({{"tied_embeddings", "none"}})};
}

std::vector<std::string> words() {
  std::vector<std::string> words = {"\"__metadata__\":{",
                                    "\"format\":\"nmt.model\",",
                                    "\"dtype\":\"",
                                    "\"shape\":[",
                                    "\"data_offsets\":[",
                                    "F32",
                                    "F64",
                                    "BF16",
                                    "F16",
                                    "I8",
                                    "weight.scale",
                                    "U8",
                                    "I32",
                                    "null",
                                    "-1",
                                    "vocabulary.shared",
                                    "vocabulary.source",
                                    "vocabulary.target",
                                    "checksum",
                                    "post",
                                    "learned",
                                    "none"};
  for (const ModelKey& key : transformer_keys()) words.push_back(key.name + ": ");
  return words;
}

/// Opens a model and, as it passed the checks, translates with it.
void load(const std::string& bytes) {
  const std::string path = scratch_file("model.safetensors", bytes);
  Backend& device = backend(is_quantized(ModelFile(path)));
  const SavedModel model = open_model(path, device);
  Workers workers(device);
  Translator translator(model, workers,
                        {.search = {.beam = 2, .max_length_factor = 1, .max_length_extra = 2}});
  check(translator.translate(testing::source_lines(2)).size() == 2, "a line in is a line out");
}

}  // namespace
}  // namespace of_model

Target model_target() {
  using namespace of_model;
  return {"model", seeds, words, load, split_safetensors, join_safetensors};
}

}  // namespace nmt::fuzz
