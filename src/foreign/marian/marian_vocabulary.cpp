#include "foreign/marian/marian_vocabulary.h"

#include <string>
#include <utility>

#include "common/io/byte_source.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "data/vocabulary/listed/word_list.h"

namespace nmt {
namespace {

/// Reads a vocabulary of Marian's own, or one with a SentencePiece model.
Vocabulary vocabulary_of(const NamedBytes& file, const std::optional<NamedBytes>& pieces, bool normalizes,
                         int rows) {
  const std::string name = without_packing(file.name);
  if (name.ends_with(".spm")) return Vocabulary::from_bytes(file.bytes.copy(), file.name);
  WordList words = word_list_from(file.bytes.copy(), name);
  name_special_words(words);
  ListFacts facts{.end = 0, .unknown = 1, .rows = rows, .normalizes = normalizes};
  if (!pieces) return make_word_vocabulary(std::move(words), std::move(facts), file.name);
  facts.languages = bracketed_languages(words);
  return make_piece_vocabulary(pieces->bytes.copy(), std::move(words), std::move(facts), file.name);
}

/// Reads a list of the parts into which BPE divides tokens.
Vocabulary vocabulary_of(const NamedBytes& file, const OpusSide& side, int rows) {
  WordList words = word_list_from(file.bytes.copy(), file.name);
  name_special_words(words);
  ListFacts facts{
      .end = 0, .unknown = 1, .rows = rows, .languages = bracketed_languages(words), .moses = side.moses};
  return make_moses_vocabulary(side.codes.copy(), side.truecaser ? side.truecaser->copy() : "",
                               std::move(words), std::move(facts), side.name);
}

}  // namespace

Vocabularies marian_vocabularies(const MarianPackage& package, int source_rows, int target_rows) {
  if (package.bpe) {
    return {vocabulary_of(package.source_vocabulary, package.bpe->source, source_rows),
            vocabulary_of(package.target_vocabulary, package.bpe->target, target_rows)};
  }
  return {vocabulary_of(package.source_vocabulary, package.source_pieces, package.normalizes, source_rows),
          vocabulary_of(package.target_vocabulary, package.target_pieces, false, target_rows)};
}

}  // namespace nmt
