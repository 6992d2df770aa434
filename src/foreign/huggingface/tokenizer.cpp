#include "foreign/huggingface/tokenizer.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/error.h"
#include "common/io/memory_map.h"
#include "common/text/spelling.h"
#include "data/vocabulary/listed/listed_file.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "data/vocabulary/listed/tokenizer_vocabulary.h"
#include "data/vocabulary/model_proto.h"
#include "data/vocabulary/protobuf.h"
#include "foreign/huggingface/fsmt.h"
#include "foreign/huggingface/indictrans.h"
#include "foreign/huggingface/tokenizer_json.h"
#include "foreign/layer_variants.h"
#include "nn/files/safetensors.h"

namespace nmt {
namespace {

constexpr const char *kSentencePiece = "sentencepiece.bpe.model", *kWords = "vocab.json",
                     *kMerges = "merges.txt", *kJson = "tokenizer.json", *kPieces = "spiece.model";

/// Returns a SentencePiece model whose pieces for bytes are like all others. Throws Error with the reason
/// alone if it is damaged.
std::string without_byte_fallback(const std::string& sentencepiece) {
  namespace proto = model_proto;
  constexpr auto kByte = static_cast<std::uint64_t>(proto::PieceType::byte);
  std::string changed;
  for (FieldReader model(sentencepiece); model.next();) {
    if (model.type() != WireType::bytes) continue;
    std::string contents(model.bytes());
    bool is_byte = false;
    for (FieldReader piece(model.bytes()); model.number() == proto::kPiece && piece.next();)
      is_byte |= piece.number() == proto::kType && piece.value() == kByte;
    // The last value of a field counts.
    if (is_byte) contents += varint_field(proto::kType, static_cast<std::uint64_t>(proto::PieceType::normal));
    if (model.number() == proto::kTrainer) contents += varint_field(proto::kByteFallback, 0);
    changed += bytes_field(model.number(), contents);
  }
  return changed;
}

struct TokenizerClass;

/// The files of a tokenizer by name.
class Tokenizer {
 public:
  Tokenizer(std::string folder, TokenizerNeeds needs)
      : folder_(std::move(folder)),
        needs_(needs),
        facts_(tokenizer_facts({.tokenizer_config = bytes_or_nothing("tokenizer_config.json"),
                                .added_tokens = bytes_or_nothing("added_tokens.json"),
                                .special_tokens_map = bytes_or_nothing("special_tokens_map.json")},
                               folder_)) {
    // Without the other files, which transformers 5 does not write.
    if (!has(kJson) || has(kSentencePiece) || has(kMerges) || has("source.spm")) return;
    const MemoryMap file = map_file(path(kJson));
    json_.emplace(file.text(), path(kJson));
    facts_.added.insert(json_->added().begin(), json_->added().end());
    facts_.hidden.insert(json_->special().begin(), json_->special().end());
    facts_.names_all_tokens = true;
  }

  const TokenizerFacts& facts() const { return facts_; }
  /// Sets the class, as its files may not name one.
  void set_class(const std::string& name) { facts_.type = name; }
  bool has(const std::string& name) const { return std::filesystem::exists(path(name)); }
  /// Throws Error if some of the files of its class are missing, and tokenizer.json does not replace them.
  void require(const TokenizerClass& its_class) const;

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
        make_fairseq_vocabulary(json_ ? json_->fairseq_sentencepiece() : bytes(kSentencePiece), facts_,
                                needs_.target_rows, path(json_ ? kJson : kSentencePiece));
    return {both, both};
  }
  /// Reads the vocabularies of BartTokenizer.
  Vocabularies bart() const {
    const Vocabulary both =
        json_ ? make_bart_vocabulary(json_->merges(), json_->words(), needs_.target_rows, json_->name())
              : make_bart_vocabulary(bytes(kMerges), words(kWords), needs_.target_rows, path(kWords));
    return {both, both};
  }
  /// Reads the vocabularies of T5Tokenizer.
  Vocabularies t5() const {
    std::string pieces = json_ ? json_->sentencepiece() : bytes(kPieces);
    if (!json_ && !needs_.has_byte_fallback) try {
        pieces = without_byte_fallback(pieces);
      } catch (const Error& error) {
        throw unusable(path(kPieces), error.what());
      }
    const Vocabulary both =
        make_t5_vocabulary(pieces, facts_, needs_.target_rows, needs_.begin, path(json_ ? kJson : kPieces));
    return {both, both};
  }
  /// Returns the vocabularies of ByT5Tokenizer.
  Vocabularies byt5() const {
    const Vocabulary both = make_byt5_vocabulary(facts_, needs_.target_rows, needs_.begin, folder_);
    return {both, both};
  }
  /// Reads the vocabularies of FSMTTokenizer.
  Vocabularies fsmt() const { return fsmt_vocabularies(folder_, needs_.source_rows, needs_.target_rows); }
  /// Reads the vocabularies of IndicTransTokenizer.
  Vocabularies indictrans() const {
    return indictrans_vocabularies(folder_, needs_.source_rows, needs_.target_rows);
  }

 private:
  std::string path(const std::string& name) const { return (std::filesystem::path(folder_) / name).string(); }
  std::string bytes(const std::string& name) const { return map_file(path(name)).copy(); }
  std::string bytes_or_nothing(const std::string& name) const {
    if (!has(name)) return "";
    std::string found = bytes(name);
    if (found.empty()) throw Error("'{}' is empty; copy it again, or remove it", path(name));
    return found;
  }
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
  std::optional<TokenizerJson> json_;  // if no other file contains the vocabulary
};

struct TokenizerClass {
  const char* name;
  Vocabularies (Tokenizer::*read)() const;
  std::array<const char*, 4> files;  // that it needs; null: no further one
  bool may_be_json;                  // whether tokenizer.json replaces them
};

constexpr std::array<TokenizerClass, 12> kClasses = {
    {{"MarianTokenizer", &Tokenizer::marian, {kWords, "source.spm", "target.spm"}, false},
     {"M2M100Tokenizer", &Tokenizer::m2m_100, {kWords, kSentencePiece}, false},
     {"NllbTokenizer", &Tokenizer::fairseq, {kSentencePiece}, true},
     {"MBartTokenizer", &Tokenizer::fairseq, {kSentencePiece}, true},
     {"MBart50Tokenizer", &Tokenizer::fairseq, {kSentencePiece}, true},
     {"BartTokenizer", &Tokenizer::bart, {kWords, kMerges}, true},
     {"RobertaTokenizer", &Tokenizer::bart, {kWords, kMerges}, true},
     {"T5Tokenizer", &Tokenizer::t5, {kPieces}, true},
     {"MT5Tokenizer", &Tokenizer::t5, {kPieces}, true},
     {"ByT5Tokenizer", &Tokenizer::byt5, {}, true},
     {"FSMTTokenizer", &Tokenizer::fsmt, {kFsmtSource, kFsmtTarget, kMerges}, false},
     {"IndicTransTokenizer",
      &Tokenizer::indictrans,
      {kIndicSource, kIndicTarget, kIndicSourcePieces, kIndicTargetPieces},
      false}}};

void Tokenizer::require(const TokenizerClass& its_class) const {
  if (json_ && its_class.may_be_json) return;
  std::vector<std::string> missing;
  for (const char* file : its_class.files) {
    if (file != nullptr && !has(file)) missing.emplace_back(file);
  }
  if (missing.empty()) return;
  throw Error(
      "'{}' has no vocabulary: the files of its tokenizer, {}, are missing; fetch {}{} from where the model "
      "comes from, and put {} into this folder",
      folder_, its_class.name, join(missing, ", "), its_class.may_be_json ? ", or tokenizer.json" : "",
      missing.size() == 1 ? "it" : "them");
}

/// Returns the class that the files name, or else the default of the family.
std::string class_in(const Tokenizer& tokenizer, const JsonFile& config, HuggingFaceFamily family) {
  const std::string& named = tokenizer.facts().type;
  const bool is_any = named == "TokenizersBackend" || named == "PreTrainedTokenizer";
  if (!named.empty() && !is_any) return named;
  const auto usual = [&] {
    switch (family) {
      case HuggingFaceFamily::marian:
        return "MarianTokenizer";
      case HuggingFaceFamily::mbart:
        return "MBartTokenizer";
      case HuggingFaceFamily::m2m_100:
        return tokenizer.has(kWords) ? "M2M100Tokenizer" : "NllbTokenizer";
      case HuggingFaceFamily::t5:
      case HuggingFaceFamily::mt5:
        return "T5Tokenizer";
      case HuggingFaceFamily::fsmt:
        return "FSMTTokenizer";
      case HuggingFaceFamily::indictrans:
        return "IndicTransTokenizer";
      case HuggingFaceFamily::bart:
        break;
    }
    return "BartTokenizer";
  };
  return config.text("tokenizer_class", usual());
}

}  // namespace

HuggingFaceTokenizer read_tokenizer(const std::string& folder, const JsonFile& config,
                                    HuggingFaceFamily family, const TokenizerNeeds& needs) {
  Tokenizer tokenizer(folder, needs);
  const std::string name = class_in(tokenizer, config, family);
  tokenizer.set_class(name);
  const auto* const found = std::ranges::find(kClasses, name, &TokenizerClass::name);
  if (found == kClasses.end()) {
    throw Error("'{}': its vocabulary is that of {}, which nmt does not know", folder, in_quotes(name));
  }
  tokenizer.require(*found);
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

namespace {

using nlohmann::json;

std::string indented(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

/// Returns a vocabulary as words and the model that divides text into them. For a vocabulary of SentencePiece
/// alone, the words are its pieces.
ListedFile listed(const Vocabulary& vocabulary, const char* side) {
  if (vocabulary.bytes().starts_with("nmt.vocabulary ")) {
    ListedFile file = parse_listed_file(vocabulary.bytes());
    if (file.sentencepiece.empty() && file.kind != "byte_pairs" && file.kind != "bytes") {
      throw NotHeld("the {} vocabulary is of kind {}, which nmt does not write for transformers", side,
                    file.kind);
    }
    if (file.facts.normalizes) {
      throw NotHeld(
          "the {} vocabulary normalizes text as OPUS-MT does, which tokenizers of transformers do not", side);
    }
    return file;
  }
  ListedFile file{.kind = "pieces", .facts = {}, .sentencepiece = vocabulary.bytes(), .words = {}};
  for (int id = 0; id < vocabulary.size(); ++id) file.words.push_back(vocabulary.piece(id));
  // MarianTokenizer removes the language token from the text before SentencePiece sees it.
  for (const auto& [code, id] : vocabulary.language_use().tokens) {
    if (vocabulary.find(bracketed(code)))
      throw NotHeld("the {} vocabulary has a piece {} in addition to that of the language {}", side,
                    bracketed(code), code);
    file.words[static_cast<std::size_t>(id)] = bracketed(code);
  }
  file.facts.end = vocabulary.end();
  file.facts.unknown = vocabulary.unknown();
  return file;
}

/// Returns ids by word.
json ids_of(const WordList& words, std::size_t count) {
  json ids = json::object();
  for (std::size_t id = 0; id < count; ++id) {
    if (!words[id].empty()) ids[words[id]] = id;
  }
  return ids;
}

json ids_of(const WordList& words) {
  return ids_of(words, words.size());
}

/// Returns the special tokens of a tokenizer by purpose.
json special_tokens(const std::vector<std::string>& additional) {
  json tokens = {{"eos_token", "</s>"}, {"unk_token", "<unk>"}, {"pad_token", "<pad>"}};
  if (!additional.empty()) tokens["additional_special_tokens"] = additional;
  return tokens;
}

void add_tokenizer_config(TokenizerExport& tokenizer, const json& special, json config) {
  config.update(special);
  // Pieces contain their spaces.
  config.update({{"clean_up_tokenization_spaces", false}, {"sp_model_kwargs", json::object()}});
  tokenizer.files["tokenizer_config.json"] = indented(config);
  tokenizer.files["special_tokens_map.json"] = indented(special);
}

void check_special_words(const ListedFile& file, const char* side) {
  const auto check = [&](int id, const char* name) {
    const std::string& word = file.words.at(static_cast<std::size_t>(id));
    if (word != name)
      throw NotHeld("the {} vocabulary calls '{}' what tokenizers of transformers call {}", side, word, name);
  };
  check(file.facts.end, "</s>");
  check(file.facts.unknown, "<unk>");
}

// For MarianTokenizer.

/// Adds <pad> to the lists of both sides, with the same id after all rows, unless they contain it.
std::int64_t add_padding(WordList& source, WordList& target, const Vocabularies& vocabularies) {
  constexpr const char* kPadding = "<pad>";
  const auto in_source = id_in(source, kPadding), in_target = id_in(target, kPadding);
  if (in_source && in_source == in_target) return *in_source;
  if (in_source || in_target)
    throw NotHeld("the vocabularies have <pad> under different ids, which no tokenizer of transformers has");
  const auto padding =
      static_cast<std::size_t>(std::max(vocabularies.source.rows(), vocabularies.target.rows()));
  for (WordList* words : {&source, &target}) {
    words->resize(padding + 1);
    words->back() = kPadding;
  }
  return static_cast<std::int64_t>(padding);
}

TokenizerExport marian_tokenizer(const Vocabularies& vocabularies, std::optional<int> start) {
  ListedFile source = listed(vocabularies.source, "source"), target = listed(vocabularies.target, "target");
  for (const auto& [file, side] : {std::pair{&source, "source"}, std::pair{&target, "target"}}) {
    if (file->kind != "pieces")
      throw NotHeld("the {} vocabulary is of kind {}, which MarianTokenizer has not", side, file->kind);
    check_special_words(*file, side);
  }
  TokenizerExport tokenizer{.files = {}, .padding = add_padding(source.words, target.words, vocabularies)};
  const bool are_apart = source.words != target.words;
  tokenizer.files["vocab.json"] = indented(ids_of(source.words));
  if (are_apart) tokenizer.files["target_vocab.json"] = indented(ids_of(target.words));
  std::vector<std::string> additional;
  if (start && *start != tokenizer.padding && *start != target.facts.end)
    additional.push_back(target.words[static_cast<std::size_t>(*start)]);
  constexpr int kLongest = 512;
  add_tokenizer_config(tokenizer, special_tokens(additional),
                       {{"tokenizer_class", "MarianTokenizer"},
                        {"separate_vocabs", are_apart},
                        {"model_max_length", kLongest}});
  tokenizer.files["source.spm"] = std::move(source.sentencepiece);
  tokenizer.files["target.spm"] = std::move(target.sentencepiece);
  return tokenizer;
}

// For multilingual tokenizers.

/// Adds the default language of translations: its token there, and its code.
void add_languages(TokenizerExport& tokenizer, json& config, const ListedFile& file,
                   const Languages& languages) {
  const LanguageUse& use = file.facts.languages;
  tokenizer.begins_with_language = use.target == LanguageUse::Target::begin;
  if (!languages.source.empty()) config["src_lang"] = languages.source;
  if (languages.target.empty()) return;
  config["tgt_lang"] = languages.target;
  const auto found = use.tokens.find(languages.target);
  if (found == use.tokens.end())
    throw Error("target_language '{}' is not a language of the vocabulary", languages.target);
  (tokenizer.begins_with_language ? tokenizer.begin : tokenizer.first) = found->second;
}

/// Returns the language tokens in a list.
std::vector<std::string> language_tokens(const ListedFile& file, int first) {
  std::vector<std::pair<int, std::string>> by_id;
  for (const auto& [code, id] : file.facts.languages.tokens)
    by_id.emplace_back(id, file.words.at(static_cast<std::size_t>(id - first)));
  std::ranges::sort(by_id);
  std::vector<std::string> tokens;
  for (auto& [id, token] : by_id) tokens.push_back(std::move(token));
  return tokens;
}

TokenizerExport m2m_100_tokenizer(ListedFile file, const Languages& languages) {
  check_special_words(file, "shared");
  const auto padding = id_in(file.words, "<pad>");
  if (!padding) throw NotHeld("the vocabulary has no <pad>, which M2M100Tokenizer needs");
  TokenizerExport tokenizer{.files = {}, .padding = *padding};
  int first = static_cast<int>(file.words.size());
  for (const auto& [code, id] : file.facts.languages.tokens) first = std::min(first, id);
  tokenizer.files["vocab.json"] = indented(ids_of(file.words, static_cast<std::size_t>(first)));
  json added = json::object();
  for (auto id = static_cast<std::size_t>(first); id < file.words.size(); ++id) {
    if (!file.words[id].empty()) added[file.words[id]] = id;
  }
  tokenizer.files["added_tokens.json"] = indented(added);
  json config = {{"tokenizer_class", "M2M100Tokenizer"}};
  add_languages(tokenizer, config, file, languages);
  json special = special_tokens(language_tokens(file, 0));
  special["bos_token"] = "<s>";
  add_tokenizer_config(tokenizer, special, std::move(config));
  tokenizer.files["sentencepiece.bpe.model"] = std::move(file.sentencepiece);
  return tokenizer;
}

const char* fairseq_class(const LanguageUse& use) {
  const bool is_nllb = std::ranges::any_of(
      use.codes(), [](const std::string& code) { return code.size() > std::string_view("de_DE").size(); });
  if (is_nllb) return "NllbTokenizer";
  return use.target == LanguageUse::Target::begin ? "MBartTokenizer" : "MBart50Tokenizer";
}

TokenizerExport fairseq_tokenizer(ListedFile file, const std::string& name, const Languages& languages) {
  const LanguageUse& use = file.facts.languages;
  TokenizerExport tokenizer{.files = {}, .padding = 1};
  const int first = first_added_of_fairseq(file.sentencepiece, name);
  for (const auto& [code, id] : use.tokens) {
    if (id < first)
      throw NotHeld(
          "the vocabulary has no token of its own for the language {}, without which the files cannot "
          "name it",
          code);
  }
  json added = json::object();
  for (std::size_t i = 0; i < file.words.size(); ++i) {
    if (!file.words[i].empty()) added[file.words[i]] = static_cast<std::size_t>(first) + i;
  }
  tokenizer.files["added_tokens.json"] = indented(added);
  json config = {{"tokenizer_class", fairseq_class(use)}};
  if (use.source == LanguageUse::Source::own_at_end && use.target == LanguageUse::Target::first)
    config["legacy_behaviour"] = true;
  add_languages(tokenizer, config, file, languages);
  json special = special_tokens(language_tokens(file, first));
  special.update({{"bos_token", "<s>"}, {"cls_token", "<s>"}, {"sep_token", "</s>"}});
  if (id_in(file.words, "<mask>")) special["mask_token"] = "<mask>";
  add_tokenizer_config(tokenizer, special, std::move(config));
  tokenizer.files["sentencepiece.bpe.model"] = std::move(file.sentencepiece);
  return tokenizer;
}

TokenizerExport bart_tokenizer(const ListedFile& file) {
  check_special_words(file, "shared");
  const auto padding = id_in(file.words, "<pad>");
  if (!padding) throw NotHeld("the vocabulary has no <pad>, which BartTokenizer needs");
  TokenizerExport tokenizer{.files = {}, .padding = *padding, .first = file.facts.begin};
  tokenizer.files["vocab.json"] = indented(ids_of(file.words));
  tokenizer.files["merges.txt"] = file.merges;
  json special = special_tokens({});
  special.update({{"bos_token", "<s>"}, {"cls_token", "<s>"}, {"sep_token", "</s>"}});
  if (id_in(file.words, "<mask>")) special["mask_token"] = "<mask>";
  add_tokenizer_config(tokenizer, special, {{"tokenizer_class", "BartTokenizer"}});
  return tokenizer;
}

// For tokenizers of T5.

/// Returns the added tokens by id, as transformers describes them.
json added_tokens(const ListedFile& file) {
  json tokens = json::object();
  for (const int id : file.facts.added) {
    const bool is_special = std::ranges::count(file.facts.special, id) > 0;
    tokens[std::to_string(id)] = {{"content", file.words.at(static_cast<std::size_t>(id))},
                                  {"special", is_special},
                                  {"normalized", false},
                                  {"single_word", false},
                                  {"lstrip", false},
                                  {"rstrip", false}};
  }
  return tokens;
}

TokenizerExport t5_tokenizer(ListedFile file) {
  check_special_words(file, "shared");
  const auto padding = id_in(file.words, "<pad>");
  if (!padding) throw NotHeld("the vocabulary has no <pad>, which tokenizers of T5 need");
  const bool has_bytes = file.kind == "bytes";
  TokenizerExport tokenizer{.files = {}, .padding = *padding};
  add_tokenizer_config(tokenizer, special_tokens({}),
                       {{"tokenizer_class", has_bytes ? "ByT5Tokenizer" : "T5Tokenizer"},
                        {"extra_ids", 0},
                        {"added_tokens_decoder", added_tokens(file)}});
  if (!has_bytes) tokenizer.files[kPieces] = std::move(file.sentencepiece);
  return tokenizer;
}

}  // namespace

TokenizerExport export_tokenizer(const Vocabularies& vocabularies, HuggingFaceFamily family,
                                 const Languages& languages, std::optional<int> start) {
  if (family == HuggingFaceFamily::marian) return marian_tokenizer(vocabularies, start);
  if (!vocabularies.shared())
    throw NotHeld("the sides have vocabularies of their own, but models of {} one", class_of(family));
  ListedFile file = listed(vocabularies.source, "shared");
  if (is_t5(family)) return t5_tokenizer(std::move(file));
  if (file.kind == "byte_pairs") return bart_tokenizer(file);
  if (file.kind == "bytes") throw NotHeld("models of {} have no vocabulary of bytes", class_of(family));
  if (file.facts.languages.tokens.empty() || file.facts.languages.target == LanguageUse::Target::none) {
    throw NotHeld("the vocabulary has no languages, without which tokenizers of {} do not work",
                  class_of(family));
  }
  if (file.kind == "fairseq") return fairseq_tokenizer(std::move(file), "shared", languages);
  return m2m_100_tokenizer(std::move(file), languages);
}

}  // namespace nmt
