// Vocabularies of other toolkits: kinds that have a list of words.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/damaged_file.h"
#include "data/vocabulary/languages.h"
#include "data/vocabulary/listed/listed_file.h"
#include "data/vocabulary/listed/word_list.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// The following functions make vocabularies that a model file can store. They throw Error that calls the
/// vocabulary `name` if a part is damaged, or if facts do not fit: ids beyond the last one, fewer rows than
/// ids.

/// Makes a vocabulary of kind `words`: text is divided at spaces, and the id of each word is its place in the
/// list. Special tokens are not words of a text.
Vocabulary make_word_vocabulary(WordList words, ListFacts facts, const std::string& name);
/// Makes a vocabulary of kind `pieces`: a SentencePiece model divides text, and the id of each piece is its
/// place in the list, whatever its id in the model (OPUS-MT, Marian in Hugging Face's form, M2M-100). A text
/// may begin with the token of a language in brackets (>>deu<<). `sentencepiece_name`: the name of the model
/// in errors, if it is in a file of its own.
Vocabulary make_piece_vocabulary(std::string sentencepiece, WordList words, ListFacts facts,
                                 const std::string& name, const std::string& sentencepiece_name = "");
/// Makes a vocabulary of kind `fairseq` (mBART, NLLB): <s>, <pad>, </s> and <unk> have the ids 0 to 3; the
/// pieces of a SentencePiece model have their ids in it plus 1; `added` tokens (languages and <mask>) have
/// the ids after them. Unused ids in `added` have empty words; `rows`: see ListFacts.
Vocabulary make_fairseq_vocabulary(std::string sentencepiece, WordList added, LanguageUse languages, int rows,
                                   const std::string& name);

/// Makes a vocabulary of kind `byte_pairs` (BART): pairs of bytes are merged in the order of `merges`, the
/// file merges.txt (see BytePairs); `words` are written as in that file. A source and a translation begin
/// with BOS, which the facts name.
Vocabulary make_byte_pair_vocabulary(std::string merges, WordList words, ListFacts facts,
                                     const std::string& name);

/// Makes a vocabulary of kind `bytes` (ByT5): each byte of a text is a token, and `words` contains all 256
/// bytes, written as in the kind `byte_pairs`. Added tokens are found in a text first.
Vocabulary make_byte_vocabulary(WordList words, ListFacts facts, const std::string& name);

/// Makes a vocabulary of kind `moses_bpe` (OPUS-MT's packages with BPE): text is normalized, tokenized,
/// truecased and divided by BPE as `facts.moses` says, and the id of each part is its place in the list;
/// parts that continue within a word end in "@@". Decoded text is joined by Moses' detokenizer. `codes`:
/// codes of subword-nmt (see SubwordCodes); `truecaser`: a truecasing model (see Truecaser), which may be
/// empty. A source may begin with the token of a language in brackets (>>deu<<).
Vocabulary make_moses_vocabulary(std::string codes, std::string truecaser, WordList words, ListFacts facts,
                                 const std::string& name);

/// Returns the first id after the pieces of a model of kind `fairseq`. Throws Error that calls it `name` if
/// the model is damaged.
int first_added_of_fairseq(const std::string& sentencepiece, const std::string& name);

/// Returns the error for a vocabulary that cannot be used.
DamagedFile unusable(const std::string& name, const std::string& reason);

/// The common part of these kinds. Derived classes define how text is divided and joined again.
class ListedVocabulary : public VocabularyModel {
 public:
  const std::string& bytes() const override { return bytes_; }
  int rows() const override { return facts_.rows > 0 ? facts_.rows : size(); }
  int unknown() const override { return facts_.unknown; }
  std::optional<int> begin() const override { return facts_.begin; }
  int end() const override { return facts_.end; }
  bool is_special(int id) const override { return is_special_.at(static_cast<std::size_t>(id)); }
  const LanguageUse& language_use() const override { return facts_.languages; }

 protected:
  /// `size`: the number of ids. Throws Error with the reason alone if the facts do not fit.
  ListedVocabulary(std::string bytes, ListFacts facts, int size);

  const ListFacts& facts() const { return facts_; }
  /// Removes spaces at the ends of text, as other toolkits do.
  static DecodedText stripped(DecodedText decoded);
  void make_special(int id) { is_special_.at(static_cast<std::size_t>(id)) = true; }

 private:
  std::string bytes_;
  ListFacts facts_;
  std::vector<bool> is_special_;
};

/// Returns the facts that all vocabularies of kind `fairseq` share, with these languages and rows.
ListFacts fairseq_facts(LanguageUse languages, int rows);

/// Readers for VocabularyKinds.
std::shared_ptr<const VocabularyModel> read_word_vocabulary(std::string bytes);
std::shared_ptr<const VocabularyModel> read_piece_vocabulary(std::string bytes);
std::shared_ptr<const VocabularyModel> read_fairseq_vocabulary(std::string bytes);
std::shared_ptr<const VocabularyModel> read_byte_pair_vocabulary(std::string bytes);
std::shared_ptr<const VocabularyModel> read_byte_vocabulary(std::string bytes);
std::shared_ptr<const VocabularyModel> read_moses_vocabulary(std::string bytes);

/// Returns the languages of tokens such as deu_Latn (NLLB), de_DE (mBART-50) and __de__ (M2M-100), by these
/// codes; sources and translations begin with the token of their own language. Pieces of the SentencePiece
/// model are not languages. Throws Error that calls it `name` if the model is damaged.
LanguageUse coded_languages(const WordList& words, const std::string& sentencepiece, const std::string& name);

}  // namespace nmt
