// The vocabularies of a model's two sides.
#pragma once

#include <string>

#include "data/vocabulary/vocabulary.h"
#include "nn/model.h"

namespace nmt {

struct Vocabularies {
  Vocabulary source, target;

  /// Whether both sides have the same pieces.
  bool shared() const { return source.has_pieces_of(target); }
};

/// The same for text in these languages (see Vocabulary::for_languages). Throws UsageError for languages that
/// the model does not know or is not told, and where it needs to be told one that is missing.
Vocabularies in_languages(const Vocabularies& vocabularies, const Languages& languages);
/// The same for targets alone, those of a language model: both sides are the target's.
Vocabularies target_in_language(const Vocabularies& vocabularies, const Languages& languages);

/// Throws Error that names the files when vocabularies differ on a side.
void check_same_vocabularies(const Vocabularies& a, const std::string& path_a, const Vocabularies& b,
                             const std::string& path_b);

/// The same for the target alone.
void check_same_target_vocabulary(const Vocabularies& a, const std::string& path_a, const Vocabularies& b,
                                  const std::string& path_b);

/// The special tokens that a model with these vocabularies uses. Throws Error when it starts with BOS but the
/// target vocabulary has none.
SpecialTokens special_tokens_of(const Vocabularies& vocabularies, const Model& model);

}  // namespace nmt
