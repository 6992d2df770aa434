// A small model that reads and writes text: a vocabulary trained on generated text, weights by formula.
#pragma once

#include <string>
#include <vector>

#include "common/temporary_folder.h"
#include "data/generated_text.h"
#include "data/vocabulary/vocabulary_trainer.h"
#include "nn/formula_weights.h"
#include "nn/saved/saved_model.h"

namespace nmt::testing {

/// Returns a vocabulary of 60 pieces, or of 310 including those that spell bytes.
inline Vocabulary text_vocabulary(bool byte_fallback = false, const std::string& type = "unigram") {
  const TemporaryFolder folder;
  const GeneratedText::Pair text = GeneratedText(1).text(300);
  return train_vocabulary(
             {.inputs = {folder.write("source", text.source), folder.write("target", text.target)},
              .type = type,
              .size = byte_fallback ? 310 : 60,
              .byte_fallback = byte_fallback})
      .vocabulary;
}

/// Returns a model. `overrides`: settings that differ from the usual ones. `bias`: added to the output bias
/// of the token `favoured` (EOS unless given).
inline SavedModel text_model(Backend& backend, const Vocabulary& vocabulary,
                             const nlohmann::json& overrides = {}, double bias = 1,
                             std::optional<int> favoured = {}) {
  const std::string type = overrides.is_object() ? overrides.value("type", "transformer") : "transformer";
  nlohmann::json config =
      type == "rnn" ? nlohmann::json{{"d_embedding", 12}, {"d_state", 16}}
                    : nlohmann::json{
                          {"type", type}, {"d_model", 16}, {"d_ff", 32}, {"heads", 2}, {"decoder_layers", 1}};
  if (type == "transformer") config["encoder_layers"] = 1;
  if (type != "lm") config["source_vocabulary"] = vocabulary.size();
  config["target_vocabulary"] = vocabulary.size();
  if (!overrides.is_null()) config.update(overrides);
  SavedModel saved{.settings = ModelRegistry::instance().complete(settings_of(config)),
                   .vocabularies = {vocabulary, vocabulary},
                   .model = formula_model(config, 3, backend, true)};
  saved.special_tokens = special_tokens_of(saved.vocabularies, *saved.model);
  for (const Parameters::Entry& entry : saved.model->parameters().entries()) {
    if (entry.parameter.name != "output.bias") continue;
    std::vector<double> values = formula_weight(entry, 1);
    values[static_cast<std::size_t>(favoured.value_or(vocabulary.end()))] += bias;
    upload_reals(backend, entry.parameter.value, values);
  }
  backend.weights_changed();
  return saved;
}

inline std::vector<std::string> source_lines(int count) {
  GeneratedText text(2);
  std::vector<std::string> lines;
  lines.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) lines.push_back(text.next().source);
  return lines;
}

}  // namespace nmt::testing
