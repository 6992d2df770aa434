// CometConfig: the checked settings of a COMET model.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "nn/settings.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {

/// What a COMET model judges a translation by.
enum class CometKind : std::uint8_t {
  regression,     // source and reference, encoded apart (Rei et al., 2020)
  referenceless,  // the source, encoded apart
  unified,        // source, reference or both, encoded together with the translation (Wan et al., 2022)
  xcomet,         // as unified, with the severity of the errors in each token (Guerreiro et al., 2024)
};

/// How the rows of a sentence become one vector.
enum class Pooling : std::uint8_t { mean, first, max };

/// The activation of the estimator's output.
enum class OutputActivation : std::uint8_t { none, tanh, sigmoid };

/// Returns the activation of x.
double activated(double x, OutputActivation activation);

/// The texts that a unified model reads after the translation.
struct CometInputs {
  bool source, reference;
};

struct CometConfig {
  TransformerConfig encoder;
  CometKind kind;
  CometInputs inputs;  // of unified models and xCOMET
  Pooling pooling;
  bool mix_norm;  // whether the rows of a sentence are normalized together before layers are mixed
  std::vector<std::int64_t> estimator_sizes;
  OutputActivation output_activation;
  std::int64_t word_layer;  // the hidden state from which tags are predicted; 0: that of the embeddings
  /// Severities of errors that the model predicts for each token, after the tag of no error; empty: it
  /// predicts none.
  std::vector<std::string> severities;
  bool spans_have_space;  // whether an error that begins with a word also has the space before it

  /// Throws ModelSettingError for a value out of range, and as TransformerConfig does.
  explicit CometConfig(const ModelSettings& settings);

  /// Returns the number of vectors that the estimator reads side by side.
  std::int64_t features() const {
    return kind == CometKind::regression ? 6 : kind == CometKind::referenceless ? 4 : 1;
  }
  /// Returns the number of tags of a token; 0: none are predicted.
  std::int64_t tags() const { return severities.empty() ? 0 : std::ssize(severities) + 1; }
  /// Whether texts are encoded apart, and their vectors compared.
  bool encodes_apart() const { return kind == CometKind::regression || kind == CometKind::referenceless; }
};

/// Returns the settings of a COMET model, except `type`.
const std::vector<ModelKey>& comet_keys();
/// Returns the names of the settings that training leaves at their defaults.
std::vector<std::string> comet_keys_of_inference();

}  // namespace nmt
