// The file format of vocabularies with a list of words, by which model files store vocabularies of other
// toolkits. The format is described in doc/vocabulary.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/vocabulary/languages.h"
#include "data/vocabulary/listed/word_list.h"

namespace nmt {

/// The settings of Moses' scripts, by which text is converted to words of a list and back (BPE of OPUS-MT and
/// Argos Translate).
struct MosesFacts {
  std::string language;          // of the text, "en"
  bool normalizes = true;        // whether punctuation is normalized
  bool normalizes_marks = true;  // whether Unicode marks are normalized, too
  bool hyphens = true;           // whether words are divided at hyphens
  bool escapes = true;           // whether entities are written
  bool detruecases = false;      // whether sentences of a translation get a capital letter
  bool is_fsmt = false;          // whether text is normalized by fsmt_normalized() instead
  bool lowers = false;           // whether that converts it to lower case

  bool operator==(const MosesFacts&) const = default;
};

/// Facts about a vocabulary that its list of words does not contain.
struct ListFacts {
  int end = 0, unknown = 1;  // EOS; the id of text that no word covers
  std::optional<int> begin;  // BOS
  std::vector<int> special;  // other ids that stand for no text: padding, perhaps the unknown word
  std::vector<int> added;    // tokens that a text may contain (see AddedTokens)
  int rows = 0;              // rows of a model's tables; 0: as many as ids
  LanguageUse languages;
  bool normalizes = false;  // whether text is normalized as in OPUS-MT (see opus_normalized())
  /// Whether a text begins with two added tokens, the languages of source and target, as those that
  /// IndicTransToolkit writes. Only for kind `pieces`.
  bool begins_with_languages = false;
  /// Whether special tokens are words of a text like others, as the user divides the text and adds them
  /// (CTranslate2, eole). Only for kind `words`.
  bool spells_special = false;
  std::optional<MosesFacts> moses;  // only for kind `moses_bpe`

  bool operator==(const ListFacts&) const = default;
};

/// The contents of such a file.
struct ListedFile {
  std::string kind;  // see VocabularyKinds
  ListFacts facts;
  std::string sentencepiece;  // a serialized ModelProto, if the kind has one
  WordList words;
  std::string merges;     // merges.txt or codes of subword-nmt, if the kind has them
  std::string truecaser;  // an optional truecasing model of Moses
};

/// Serializes a file; equal contents give equal bytes.
std::string bytes_of(const ListedFile& file);

/// Parses the result of bytes_of(). Throws Error with the reason alone for anything else.
ListedFile parse_listed_file(const std::string& bytes);

}  // namespace nmt
