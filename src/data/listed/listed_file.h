// The file of a vocabulary that has a list of words: what model files hold of those of other toolkits. Its
// form is in doc/vocabulary.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/listed/word_list.h"
#include "data/vocabulary/languages.h"

namespace nmt {

/// How text becomes words of a list and words become text, as Moses' scripts do (OPUS-MT's packages with
/// BPE).
struct MosesFacts {
  std::string language;      // of the text, "en"
  bool normalizes = true;    // Unicode's marks and punctuation
  bool hyphens = true;       // divides words at hyphens
  bool escapes = true;       // writes entities
  bool detruecases = false;  // gives sentences of a translation a capital letter

  bool operator==(const MosesFacts&) const = default;
};

/// What a list of words does not say of itself.
struct ListFacts {
  int end = 0, unknown = 1;  // EOS, and what no word covers
  std::optional<int> begin;  // BOS
  std::vector<int> special;  // others that stand for no text: padding, perhaps the unknown one
  int rows = 0;              // of the tables of a model; 0: as many as ids
  LanguageUse languages;
  bool normalizes = false;  // text, as OPUS-MT does (see opus_normalized)
  /// Special tokens are words of a text like others: whoever has the text divides it, and adds them
  /// (CTranslate2, eole). Of words alone.
  bool spells_special = false;
  std::optional<MosesFacts> moses;  // of the kind `moses_bpe`

  bool operator==(const ListFacts&) const = default;
};

/// Such a file taken apart.
struct ListedFile {
  std::string kind;  // see VocabularyKinds
  ListFacts facts;
  std::string sentencepiece;  // a serialized ModelProto, where the kind has one
  WordList words;
  std::string merges;     // merges.txt or codes of subword-nmt, where the kind has them
  std::string truecaser;  // a truecasing model of Moses, where there is one
};

/// The file as bytes: always the same for the same contents.
std::string bytes_of(const ListedFile& file);

/// Takes apart what bytes_of() gives. Throws Error with the reason alone for anything else.
ListedFile parse_listed_file(const std::string& bytes);

}  // namespace nmt
