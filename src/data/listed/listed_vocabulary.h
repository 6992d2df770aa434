// Vocabularies of other toolkits: kinds that have a list of words beside their bytes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "data/listed/listed_file.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// The following make vocabularies that a model file can hold. They throw Error that calls the vocabulary
/// `name` when a part is damaged, or when facts do not fit: ids beyond the last one, fewer rows than ids.

/// Kind `words`: text is divided at blanks, each word has the id of its place in the list. Special tokens are
/// no words of a text.
Vocabulary make_word_vocabulary(WordList words, ListFacts facts, const std::string& name);
/// Kind `pieces`: a SentencePiece model divides text, and each piece has the id of its place in the list,
/// whatever its id is in the model (OPUS-MT, Marian in Hugging Face's form, M2M-100). A text may begin with
/// the token of a language that stands in brackets (>>deu<<).
Vocabulary make_piece_vocabulary(std::string sentencepiece, WordList words, ListFacts facts,
                                 const std::string& name);
/// Kind `fairseq` (mBART, NLLB): <s>, <pad>, </s> and <unk> have the ids 0 to 3, the pieces of a
/// SentencePiece model those in it and 1, and what was added to them, languages and <mask>, what follows.
/// That is `added`, in which ids that nothing stands for have empty words; `rows` as in ListFacts.
Vocabulary make_fairseq_vocabulary(std::string sentencepiece, WordList added, LanguageUse languages, int rows,
                                   const std::string& name);

/// Kind `byte_pairs` (BART): pairs of bytes are merged as `merges`, the file merges.txt, says (see
/// BytePairs); `words` are written as there. A source and a translation begin with BOS, which the facts name.
Vocabulary make_byte_pair_vocabulary(std::string merges, WordList words, ListFacts facts,
                                     const std::string& name);

/// Kind `moses_bpe` (OPUS-MT's packages with BPE): text is normalized, tokenized, truecased and divided by
/// BPE as `facts.moses` says, and each part has the id of its place in the list, where those that a word goes
/// on after end in "@@". Text of ids is put together by Moses' detokenizer. `codes`: of subword-nmt (see
/// SubwordCodes); `truecaser`: a truecasing model (see Truecaser), which may be empty. A source may begin
/// with the token of a language that stands in brackets (>>deu<<).
Vocabulary make_moses_vocabulary(std::string codes, std::string truecaser, WordList words, ListFacts facts,
                                 const std::string& name);

/// The id of the first one of what was added to the pieces of a model of kind `fairseq`. Throws likewise.
int first_added_of_fairseq(const std::string& sentencepiece, const std::string& name);

/// The error of a vocabulary that cannot be used.
Error unusable(const std::string& name, const std::string& reason);

/// What these kinds have in common. What is left to each is how text is divided and put together again.
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
  /// `size`: how many ids there are. Throws Error with the reason alone when the facts do not fit.
  ListedVocabulary(std::string bytes, ListFacts facts, int size);

  const ListFacts& facts() const { return facts_; }
  /// Text without spaces at its ends, which other toolkits strip.
  static DecodedText stripped(DecodedText decoded);
  void make_special(int id) { is_special_.at(static_cast<std::size_t>(id)) = true; }

 private:
  std::string bytes_;
  ListFacts facts_;
  std::vector<bool> is_special_;
};

/// What is the same in all vocabularies of kind `fairseq`, with these languages and rows.
ListFacts fairseq_facts(LanguageUse languages, int rows);

/// Readers for VocabularyKinds.
std::shared_ptr<const VocabularyModel> read_word_vocabulary(std::string bytes);
std::shared_ptr<const VocabularyModel> read_piece_vocabulary(std::string bytes);
std::shared_ptr<const VocabularyModel> read_fairseq_vocabulary(std::string bytes);
std::shared_ptr<const VocabularyModel> read_byte_pair_vocabulary(std::string bytes);
std::shared_ptr<const VocabularyModel> read_moses_vocabulary(std::string bytes);

}  // namespace nmt
