// Models of CTranslate2: folders with model.bin, lists of tokens, and from version 6 config.json.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foreign/containers/package.h"
#include "foreign/foreign_model.h"
#include "foreign/token_lists.h"
#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

class CTranslate2Attributes {
 public:
  /// `tensors` must outlive this object, and records which variables were requested.
  explicit CTranslate2Attributes(ForeignTensors& tensors) : tensors_(tensors) {}

  // Returns the value of a variable, or `otherwise` if it is missing. Each throws Error if the value has
  // another type.
  std::int64_t integer(const std::string& name, std::int64_t otherwise);
  bool flag(const std::string& name, bool otherwise) { return integer(name, otherwise ? 1 : 0) != 0; }
  std::string text(const std::string& name, const std::string& otherwise);
  float real(const std::string& name, float otherwise);

  /// Returns a number that encoder and decoder share. Up to revision 4 one variable has the number of both
  /// sides. Throws Error if the sides differ.
  std::int64_t of_both(const std::string& name, std::int64_t otherwise);

  /// Returns the factor of the embeddings of a side, as the setting `embedding_scale`.
  std::string embedding_scale(const std::string& side);

  /// Throws Error that names the model and says that it has `what`, as the variable `name` shows.
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const;

 private:
  /// Returns the value of a variable with a single element.
  template <class T>
  T only(const std::string& name, const std::vector<T>& values) const;

  ForeignTensors& tensors_;
};

struct CTranslate2Config {
  TokenNames tokens;
  std::optional<double> layer_norm_epsilon;  // without it CTranslate2's own, which depends on the kind
};

/// Reads the settings of a model whose model.bin has this version, from its config.json, if it exists, and
/// from its attributes. Throws Error for values of a wrong type, and if the weights are not quantized as
/// CTranslate2 does it.
CTranslate2Config read_ctranslate2_config(const Package& package, std::uint32_t version,
                                          CTranslate2Attributes& attributes);

/// Returns the settings as a config.json.
std::string json_of(const CTranslate2Config& config);

/// Returns the settings of nmt's Transformer that computes the same as the CTranslate2 model, except for
/// positions and tied word tables. `spec`: the kind of model in model.bin. Throws Error that names what nmt
/// does not support, such as convolutions, relative positions, or a missing encoder.
ModelSettings ctranslate2_settings(ForeignTensors& tensors, const std::string& spec,
                                   const CTranslate2Config& config);

/// Returns the name of the table of source words.
std::string ctranslate2_source_table(const ForeignTensors& tensors);

/// Adds the settings that follow from the weights: equal word tables are tied, and a table of positions is
/// learned unless it equals one that nmt computes. `one_vocabulary`: both sides share a vocabulary, so that
/// their tables may be tied.
void add_settings_of_weights(ForeignTensors& tensors, bool one_vocabulary, ModelSettings& settings);

/// Returns the sources of all parameters of a model of these settings, which are complete. Throws Error if a
/// tensor is missing.
std::map<std::string, WeightSource> ctranslate2_weights(ForeignTensors& tensors,
                                                        const ModelSettings& settings);

/// Whether `path` is a folder with a model.bin.
bool is_ctranslate2_model(const std::string& path);

/// The way in which callers of CTranslate2 turn text into tokens and back. CTranslate2 itself translates
/// tokens only.
struct CallersText {
  std::optional<TokenPieces> source, target;  // both or none
  std::optional<FirstToken> first = {};
  bool ends_source = false;  // whether callers end sources with EOS, though CTranslate2 does not
};

/// Returns the processing of text by the SentencePiece models beside a model; see sentencepiece_models_in().
/// `config`: of the model.
CallersText text_beside(const Package& package, const CTranslate2Config& config);

/// Returns the processing of text that callers have for the model with these files.
using TextOfCallers = std::function<CallersText(const Package& package, const CTranslate2Config& config)>;

/// Reads a model; weights of 8 and 16 bits become real numbers. Throws Error if something is missing,
/// damaged, or not supported by nmt; UsageError for an unsupported setting.
ForeignModel read_ctranslate2_model(const Package& package, const TextOfCallers& text);
/// Reads the model of a folder, with the processing of text that text_beside() finds.
ForeignModel read_ctranslate2_model(const std::string& folder);

}  // namespace nmt
