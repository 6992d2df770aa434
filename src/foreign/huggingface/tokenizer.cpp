#include "foreign/huggingface/tokenizer.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "common/error.h"
#include "common/io/memory_map.h"
#include "data/vocabulary/listed/list_languages.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "data/vocabulary/listed/tokenizer_facts.h"
#include "data/vocabulary/listed/tokenizer_vocabulary.h"
#include "nn/files/safetensors.h"

namespace nmt {
namespace {

constexpr const char *kSentencePiece = "sentencepiece.bpe.model", *kWords = "vocab.json",
                     *kMerges = "merges.txt";

/// The files of a tokenizer by name.
class Tokenizer {
 public:
  Tokenizer(std::string folder, TokenizerNeeds needs)
      : folder_(std::move(folder)),
        needs_(needs),
        facts_(tokenizer_facts({.tokenizer_config = bytes_or_nothing("tokenizer_config.json"),
                                .added_tokens = bytes_or_nothing("added_tokens.json"),
                                .special_tokens_map = bytes_or_nothing("special_tokens_map.json")},
                               folder_)) {}

  const TokenizerFacts& facts() const { return facts_; }
  /// Sets the class, as its files may not name one.
  void set_class(const std::string& name) { facts_.type = name; }
  bool has(const std::string& name) const { return std::filesystem::exists(path(name)); }

  /// Whether only tokenizer.json contains the vocabulary, as transformers 5 writes it.
  bool is_json_alone() const {
    return has("tokenizer.json") && !has(kSentencePiece) && !has(kMerges) && !has("source.spm");
  }

  /// Reads the vocabularies of MarianTokenizer.
  Vocabularies marian() const {
    const char* target_words = facts_.separate_vocabs ? "target_vocab.json" : kWords;
    return {marian_side(kWords, "source.spm", needs_.source_rows),
            marian_side(target_words, "target.spm", needs_.target_rows)};
  }
  /// Reads the vocabularies of M2M100Tokenizer.
  Vocabularies m2m_100() const {
    const Vocabulary both = make_m2m_vocabulary(bytes(kSentencePiece), words(kWords), facts_,
                                                needs_.target_rows, path(kWords), path(kSentencePiece));
    return {both, both};
  }
  /// Reads the vocabularies of NllbTokenizer, MBartTokenizer and MBart50Tokenizer.
  Vocabularies fairseq() const {
    const Vocabulary both =
        make_fairseq_vocabulary(bytes(kSentencePiece), facts_, needs_.target_rows, path(kSentencePiece));
    return {both, both};
  }
  /// Reads the vocabularies of BartTokenizer.
  Vocabularies bart() const {
    const Vocabulary both =
        make_bart_vocabulary(bytes(kMerges), words(kWords), needs_.target_rows, path(kWords));
    return {both, both};
  }

 private:
  std::string path(const std::string& name) const { return (std::filesystem::path(folder_) / name).string(); }
  std::string bytes(const std::string& name) const { return map_file(path(name)).copy(); }
  std::string bytes_or_nothing(const std::string& name) const { return has(name) ? bytes(name) : ""; }
  WordList words(const std::string& name) const { return word_list_from_json(bytes(name), path(name)); }

  Vocabulary marian_side(const std::string& list, const std::string& sentencepiece, int rows) const {
    WordList all = words(list);
    if (!needs_.has_padding && all.back() == "<pad>") all.pop_back();
    const auto id = [&](const char* word) {
      if (const auto found = id_in(all, word)) return *found;
      throw Error("'{}' has no {}, which is needed to translate", path(list), word);
    };
    ListFacts facts{.end = id("</s>"),
                    .unknown = id("<unk>"),
                    .begin = needs_.begin,
                    .special = {id("<unk>")},  // transformers removes it from translations
                    .rows = rows,
                    .languages = bracketed_languages(all)};
    if (needs_.has_padding) facts.special.push_back(id("<pad>"));
    return make_piece_vocabulary(bytes(sentencepiece), std::move(all), std::move(facts), path(list),
                                 path(sentencepiece));
  }

  std::string folder_;
  TokenizerNeeds needs_;
  TokenizerFacts facts_;
};

struct TokenizerClass {
  const char* name;
  Vocabularies (Tokenizer::*read)() const;
};

constexpr std::array<TokenizerClass, 6> kClasses = {{{"MarianTokenizer", &Tokenizer::marian},
                                                     {"M2M100Tokenizer", &Tokenizer::m2m_100},
                                                     {"NllbTokenizer", &Tokenizer::fairseq},
                                                     {"MBartTokenizer", &Tokenizer::fairseq},
                                                     {"MBart50Tokenizer", &Tokenizer::fairseq},
                                                     {"BartTokenizer", &Tokenizer::bart}}};

/// Returns the class that the files name, or else the default of the family.
std::string class_in(const Tokenizer& tokenizer, const JsonFile& config, HuggingFaceFamily family) {
  if (!tokenizer.facts().type.empty()) return tokenizer.facts().type;
  const auto usual = [&] {
    switch (family) {
      case HuggingFaceFamily::marian:
        return "MarianTokenizer";
      case HuggingFaceFamily::mbart:
        return "MBartTokenizer";
      case HuggingFaceFamily::m2m_100:
        return tokenizer.has(kWords) ? "M2M100Tokenizer" : "NllbTokenizer";
      case HuggingFaceFamily::bart:
        break;
    }
    return "BartTokenizer";
  };
  return config.text("tokenizer_class", usual());
}

/// Returns the files from which tokenizers of a family are read, for messages.
const char* usual_files(HuggingFaceFamily family) {
  switch (family) {
    case HuggingFaceFamily::marian:
      return "source.spm, target.spm and vocab.json";
    case HuggingFaceFamily::bart:
      return "merges.txt and vocab.json";
    case HuggingFaceFamily::mbart:
    case HuggingFaceFamily::m2m_100:
      break;
  }
  return "sentencepiece.bpe.model";
}

}  // namespace

HuggingFaceTokenizer read_tokenizer(const std::string& folder, const JsonFile& config,
                                    HuggingFaceFamily family, const TokenizerNeeds& needs) {
  Tokenizer tokenizer(folder, needs);
  if (tokenizer.is_json_alone()) {
    throw Error(
        "'{}' has its vocabulary only in tokenizer.json, which nmt cannot read yet; put {} next to it, from "
        "the repository of this model or of the one that it was trained from",
        folder, usual_files(family));
  }
  const std::string name = class_in(tokenizer, config, family);
  tokenizer.set_class(name);
  const auto* const found = std::ranges::find(kClasses, name, &TokenizerClass::name);
  if (found == kClasses.end()) {
    throw Error("'{}': its vocabulary is that of {}, which nmt does not know", folder, in_quotes(name));
  }
  HuggingFaceTokenizer read{.vocabularies = (tokenizer.*found->read)()};
  const std::vector<std::string> codes = read.vocabularies.target.languages();
  const auto known = [&](const std::string& code) {
    return std::ranges::find(codes, code) != codes.end() ? code : "";
  };
  // Marian's files name a language pair, which does not concern its vocabulary.
  if (name != "MarianTokenizer")
    read.usual = {known(tokenizer.facts().source_language), known(tokenizer.facts().target_language)};
  return read;
}

}  // namespace nmt
