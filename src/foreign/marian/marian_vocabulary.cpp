#include "foreign/marian/marian_vocabulary.h"

#include <filesystem>
#include <string>
#include <tuple>
#include <utility>

#include "common/io/byte_source.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "data/vocabulary/listed/word_list.h"
#include "foreign/token_lists.h"

namespace nmt {
namespace {

bool is_list(const NamedBytes& vocabulary) {
  return !without_packing(vocabulary.name).ends_with(".spm");
}

/// Reads a vocabulary of Marian's own, or one with a SentencePiece model.
Vocabulary vocabulary_of(const NamedBytes& file, const std::optional<NamedBytes>& pieces, bool normalizes,
                         int rows) {
  if (!is_list(file)) return Vocabulary::from_bytes(file.bytes.copy(), file.name);
  WordList words = word_list_from(file.bytes.copy(), without_packing(file.name));
  name_special_words(words);
  ListFacts facts{.end = 0, .unknown = 1, .rows = rows, .normalizes = normalizes};
  if (!pieces) return make_word_vocabulary(std::move(words), std::move(facts), file.name);
  facts.languages = bracketed_languages(words);
  return make_piece_vocabulary(pieces->bytes.copy(), std::move(words), std::move(facts), file.name,
                               pieces->name);
}

void check_pieces(const MarianPackage& package) {
  const auto& [source, target] = std::tie(package.source_pieces, package.target_pieces);
  if (!source && !target) return;
  const std::filesystem::path there((source ? source : target)->name);
  check_both_pieces(there.parent_path().string(), source.has_value(), target.has_value());
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
  if (is_list(package.source_vocabulary) && is_list(package.target_vocabulary)) check_pieces(package);
  return {vocabulary_of(package.source_vocabulary, package.source_pieces, package.normalizes, source_rows),
          vocabulary_of(package.target_vocabulary, package.target_pieces, false, target_rows)};
}

}  // namespace nmt
