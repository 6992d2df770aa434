#include "foreign/ctranslate2/ctranslate2_relative.h"

#include "foreign/ctranslate2/ctranslate2_model.h"
#include "foreign/ctranslate2/ctranslate2_names.h"

namespace nmt {
namespace {

constexpr std::int64_t kUsualDistance = 128;

/// Reads the biases of the self-attention whose variables begin with `scope`.
std::optional<RelativeBiases> biases_of(ForeignTensors& tensors, const std::string& scope) {
  if (!tensors.has(scope + kRelativeBias)) return std::nullopt;
  return RelativeBiases{
      .buckets = tensors(scope + kRelativeBias).rows,
      .distance = CTranslate2Attributes(tensors).integer(scope + kRelativeDistance, kUsualDistance)};
}

}  // namespace

std::optional<RelativeBiases> relative_biases(ForeignTensors& tensors, const ModelSettings& settings) {
  const auto first = biases_of(tensors, self_attention_scope("encoder", 0));
  const auto refuse = [&](const std::string& scope) {
    CTranslate2Attributes(tensors).refuse(scope + kRelativeBias,
                                          "biases of relative positions that differ between layers");
  };
  for (const std::string side : {"encoder", "decoder"}) {
    const std::string table = self_attention_scope(side, 0) + kRelativeBias;
    for (std::int64_t i = 0; i < integer_setting(settings, side + "_layers", 1, 1 << 24); ++i) {
      const std::string scope = self_attention_scope(side, i);
      if (biases_of(tensors, scope) != first) refuse(scope);
      if (first && !are_equal(tensors, table, scope + kRelativeBias)) refuse(scope);
    }
  }
  return first;
}

std::optional<std::int64_t> farthest_relative_vectors(ForeignTensors& tensors) {
  const std::string table = self_attention_scope("encoder", 0) + kRelativeKeys;
  if (!tensors.has(table)) return std::nullopt;
  return tensors(table).rows / 2;
}

}  // namespace nmt
