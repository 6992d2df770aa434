// The vocabularies of the two sides of a model.
#pragma once

#include <string>
#include <vector>

#include "data/vocabulary/vocabulary.h"
#include "nn/model.h"

namespace nmt {

struct Vocabularies {
  Vocabulary source, target;

  /// Whether both sides have the same pieces.
  bool shared() const { return source.has_pieces_of(target); }
};

/// Returns the vocabularies for text in these languages (see Vocabulary::for_languages). Throws UsageError if
/// the model does not know a language, has no language tokens, or needs a language that is missing.
Vocabularies in_languages(const Vocabularies& vocabularies, const Languages& languages);
/// Returns the vocabularies of a language model for text in this target language: the target vocabulary for
/// both sides. Throws UsageError as in_languages() does.
Vocabularies target_in_language(const Vocabularies& vocabularies, const Languages& languages);

/// Returns the codes of the languages of a multilingual model: those of the target vocabulary or, if it has
/// none, of the source vocabulary.
std::vector<std::string> known_languages(const Vocabularies& vocabularies);

/// Throws Error that names the files if vocabularies differ on either side.
void check_same_vocabularies(const Vocabularies& a, const std::string& path_a, const Vocabularies& b,
                             const std::string& path_b);

/// Throws Error that names the files if the target vocabularies differ.
void check_same_target_vocabulary(const Vocabularies& a, const std::string& path_a, const Vocabularies& b,
                                  const std::string& path_b);

/// Returns the special tokens that a model with these vocabularies uses. Throws Error if the model starts
/// with BOS but the target vocabulary has none.
SpecialTokens special_tokens_of(const Vocabularies& vocabularies, const Model& model);

}  // namespace nmt
