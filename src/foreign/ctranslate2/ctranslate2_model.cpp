#include "foreign/ctranslate2/ctranslate2_model.h"

#include <filesystem>
#include <utility>

#include "common/error.h"
#include "foreign/containers/ctranslate2_binary.h"
#include "foreign/ctranslate2/ctranslate2_settings.h"
#include "foreign/ctranslate2/ctranslate2_vocabulary.h"
#include "foreign/ctranslate2/ctranslate2_weights.h"
#include "nn/registry.h"

namespace nmt {
namespace {

std::string binary_in(const std::string& folder) {
  return (std::filesystem::path(folder) / "model.bin").string();
}

/// Returns CTranslate2's default search settings.
DecodingSettings usual_ctranslate2_decoding() {
  return {{"beam_rules", "ctranslate2"},     {"beam", "2"},
          {"length_normalization", "power"}, {"length_penalty", "1"},
          {"max_length_factor", "0"},        {"max_length_extra", "256"}};
}

}  // namespace

bool is_ctranslate2_model(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(binary_in(path), ignored);
}

ForeignModel read_ctranslate2_model(const std::string& folder) {
  const auto binary = std::make_shared<const CTranslate2Binary>(binary_in(folder));
  ForeignTensors tensors(binary);
  CTranslate2Attributes attributes(tensors);
  CTranslate2Config config = read_ctranslate2_config(folder, binary->version(), attributes);
  const TokenLists lists = read_ctranslate2_lists(folder);
  if (lists.source_pieces)
    config.tokens.source_has_eos = true;  // callers with such pieces add it, though CTranslate2 does not
  ModelSettings settings = ctranslate2_settings(tensors, binary->spec(), config);
  add_settings_of_weights(tensors, lists.are_one(), settings);
  settings = ModelRegistry::instance().complete(std::move(settings));
  const auto sources = ctranslate2_weights(tensors, settings);
  tensors.check_all_asked_for();
  return {.settings = settings,
          .decoding = usual_ctranslate2_decoding(),
          .vocabularies = vocabularies_of(lists, config.tokens, settings),
          .weights = weights_from(sources, settings, binary->path())};
}

}  // namespace nmt
