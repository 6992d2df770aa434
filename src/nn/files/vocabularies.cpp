#include "nn/files/vocabularies.h"

#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {

Vocabularies in_languages(const Vocabularies& vocabularies, const Languages& languages) {
  const auto& [source, target] = vocabularies;
  if (!languages.target.empty() && source.languages().empty() && target.languages().empty()) {
    throw UsageError("`target_language` {}: the model knows no languages; leave it out",
                     quoted(languages.target));
  }
  return {source.for_languages(Side::source, languages), target.for_languages(Side::target, languages)};
}

void check_same_vocabularies(const Vocabularies& a, const std::string& path_a, const Vocabularies& b,
                             const std::string& path_b) {
  const auto check = [&](const char* side, bool same) {
    if (same) return;
    throw Error("'{}' and '{}' have different {} vocabularies; use models trained with the same ones", path_a,
                path_b, side);
  };
  check("source", a.source == b.source);
  check("target", a.target == b.target);
}

SpecialTokens special_tokens_of(const Vocabularies& vocabularies, const Model& model) {
  const auto& [source, target] = vocabularies;
  SpecialTokens special_tokens{.source_eos = source.end(), .target_eos = target.end(), .start = -1};
  switch (model.decoder_start()) {
    case DecoderStart::zero:
      break;
    case DecoderStart::eos:
      special_tokens.start = target.end();
      break;
    case DecoderStart::bos:
      if (!target.begin()) {
        throw Error(
            "the target vocabulary has no BOS, which decoder_start 'bos' needs; use decoder_start 'zero' or "
            "'eos'");
      }
      special_tokens.start = *target.begin();
  }
  return special_tokens;
}

}  // namespace nmt
