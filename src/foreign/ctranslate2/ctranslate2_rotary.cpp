#include "foreign/ctranslate2/ctranslate2_rotary.h"

#include <fmt/format.h>

#include "foreign/ctranslate2/ctranslate2_model.h"
#include "foreign/ctranslate2/ctranslate2_names.h"

namespace nmt {
namespace {

/// Reads the rotary positions of the self-attention whose attributes begin with `scope`.
std::optional<CTranslate2Pairs> pairs_of(CTranslate2Attributes& attributes, const std::string& scope,
                                         std::int64_t width) {
  const std::int64_t columns = attributes.integer(scope + kRotaryDim, -1);
  if (columns < 0) return std::nullopt;
  if (columns != kWholeHead && columns != width)
    attributes.refuse(scope + kRotaryDim,
                      fmt::format("rotary positions in {} of {} columns of a head", columns, width));
  if (attributes.real(scope + kRotaryBase, kSupportedRotaryBase) != kSupportedRotaryBase)
    attributes.refuse(scope + kRotaryBase,
                      fmt::format("rotary positions of another base than {}", kSupportedRotaryBase));
  return attributes.flag(scope + kRotaryInterleave, true) ? CTranslate2Pairs::neighbors
                                                          : CTranslate2Pairs::halves;
}

}  // namespace

std::optional<CTranslate2Pairs> rotary_pairs(ForeignTensors& tensors, const ModelSettings& settings) {
  const auto size = [&](const std::string& name) { return integer_setting(settings, name, 1, 1 << 24); };
  const std::int64_t width = size("d_model") / size("heads");
  CTranslate2Attributes attributes(tensors);
  const auto first = pairs_of(attributes, self_attention_scope("encoder", 0), width);
  for (const std::string side : {"encoder", "decoder"}) {
    for (std::int64_t i = 0; i < size(side + "_layers"); ++i) {
      const std::string scope = self_attention_scope(side, i);
      if (pairs_of(attributes, scope, width) != first)
        attributes.refuse(scope + kRotaryDim, "rotary positions that differ between layers");
    }
  }
  return first;
}

}  // namespace nmt
