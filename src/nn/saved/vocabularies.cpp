#include "nn/saved/vocabularies.h"

#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

void check_same(const Vocabulary& a, const std::string& path_a, const Vocabulary& b,
                const std::string& path_b, const char* side) {
  if (a == b) return;
  throw Error("'{}' and '{}' have different {} vocabularies; use models trained with the same ones", path_a,
              path_b, side);
}

/// Throws UsageError if a target language is given but the model cannot be told its target language.
void check_is_told(const Vocabularies& vocabularies, const Languages& languages) {
  const auto& [source, target] = vocabularies;
  if (languages.target.empty()) return;
  if (known_languages(vocabularies).empty()) {
    throw UsageError("`target_language` {}: the vocabulary has no language tokens; leave it out",
                     quoted(languages.target));
  }
  if (!source.tells_languages() && !target.tells_languages()) {
    throw UsageError("`target_language` {}: the source vocabulary has no language tokens; leave it out",
                     quoted(languages.target));
  }
}

std::int32_t start_of(const Vocabulary& target, DecoderStart start) {
  if (start == DecoderStart::zero) return -1;
  if (start == DecoderStart::eos) return target.end();
  if (target.begin()) return *target.begin();
  throw Error(
      "the target vocabulary has no BOS, which decoder_start 'bos' needs; use decoder_start 'zero' or 'eos'");
}

std::int32_t source_bos(const Vocabulary& source, SourceSpecialTokens tokens) {
  if (tokens != SourceSpecialTokens::bos && tokens != SourceSpecialTokens::both) return -1;
  if (source.begin()) return *source.begin();
  throw Error(
      "the source vocabulary has no BOS, which source_special_tokens 'bos' and 'both' need; use "
      "source_special_tokens 'eos' or "
      "'none'");
}

}  // namespace

Vocabularies in_languages(const Vocabularies& vocabularies, const Languages& languages) {
  Vocabularies in{vocabularies.source.for_languages(Side::source, languages),
                  vocabularies.target.for_languages(Side::target, languages)};
  check_is_told(in, languages);
  return in;
}

Vocabularies target_in_language(const Vocabularies& vocabularies, const Languages& languages) {
  if (!languages.source.empty()) {
    throw UsageError("`source_language` {}: a language model has no source; leave it out",
                     quoted(languages.source));
  }
  const Vocabulary target = vocabularies.target.for_languages(Side::target, languages);
  check_is_told({target, target}, languages);
  return {target, target};
}

std::vector<std::string> known_languages(const Vocabularies& vocabularies) {
  std::vector<std::string> languages = vocabularies.target.languages();
  return languages.empty() ? vocabularies.source.languages() : languages;
}

void check_same_vocabularies(const Vocabularies& a, const std::string& path_a, const Vocabularies& b,
                             const std::string& path_b) {
  check_same(a.source, path_a, b.source, path_b, "source");
  check_same(a.target, path_a, b.target, path_b, "target");
}

void check_same_target_vocabulary(const Vocabularies& a, const std::string& path_a, const Vocabularies& b,
                                  const std::string& path_b) {
  check_same(a.target, path_a, b.target, path_b, "target");
}

SpecialTokens special_tokens_of(const Vocabularies& vocabularies, const Model& model) {
  const auto& [source, target] = vocabularies;
  const SourceSpecialTokens tokens = model.source_special_tokens();
  return {.source_eos = source.end(),
          .target_eos = target.end(),
          .start = start_of(target, model.decoder_start()),
          .source_bos = source_bos(source, tokens),
          .ends_source = tokens == SourceSpecialTokens::eos || tokens == SourceSpecialTokens::both,
          .has_source = model.has_source(),
          .source_reversed = model.source_direction() == Direction::right_to_left,
          .target_reversed = model.target_direction() == Direction::right_to_left};
}

}  // namespace nmt
