#include "data/vocabulary/vocabulary_model.h"

#include "common/error.h"
#include "common/text/spelling.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "data/vocabulary/sentencepiece.h"

namespace nmt {
namespace {

constexpr std::string_view kHeader = "nmt.vocabulary ";

}  // namespace

const LanguageUse& VocabularyModel::language_use() const {
  static const LanguageUse none;
  return none;
}

LanguageTokens VocabularyModel::language_tokens(Side side, const Languages& languages) const {
  if (!language_use().tokens.empty()) return language_use().tokens_of(side, languages, end());
  if (side == Side::source && !languages.source.empty()) {
    throw UsageError("`source_language` {}: the vocabulary has no language tokens; leave it out",
                     quoted(languages.source));
  }
  return {};
}

std::string vocabulary_header(std::string_view kind) {
  return fmt::format("{}{}\n", kHeader, kind);
}

VocabularyKinds& VocabularyKinds::instance() {
  static VocabularyKinds kinds = [] {
    VocabularyKinds all;
    all.add("words", read_word_vocabulary);
    all.add("pieces", read_piece_vocabulary);
    all.add("fairseq", read_fairseq_vocabulary);
    all.add("byte_pairs", read_byte_pair_vocabulary);
    all.add("bytes", read_byte_vocabulary);
    all.add("moses_bpe", read_moses_vocabulary);
    return all;
  }();
  return kinds;
}

std::shared_ptr<const VocabularyModel> VocabularyKinds::read(std::string bytes,
                                                             const std::string& name) const {
  if (!bytes.starts_with(kHeader)) return read_sentencepiece_model(std::move(bytes), name);
  const std::string_view line = std::string_view(bytes).substr(0, bytes.find('\n'));
  const auto kind = kinds_.find(line.substr(kHeader.size()));
  if (kind == kinds_.end()) {
    throw Error("the vocabulary '{}' is of a kind that this version of nmt cannot read; use a later one",
                name);
  }
  try {
    return kind->second(std::move(bytes));
  } catch (const Error& error) {
    throw Error("the vocabulary '{}' is damaged: {}; copy it again", name, error.what());
  }
}

}  // namespace nmt
