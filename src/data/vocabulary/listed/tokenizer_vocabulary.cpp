#include "data/vocabulary/listed/tokenizer_vocabulary.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <unordered_set>
#include <utility>

#include "common/error.h"
#include "common/text/number.h"
#include "common/text/parsed_json.h"
#include "common/text/spelling.h"
#include "data/vocabulary/listed/byte_pairs.h"
#include "data/vocabulary/listed/word_list.h"
#include "data/vocabulary/model_proto.h"
#include "data/vocabulary/protobuf.h"
#include "data/vocabulary/sentencepiece.h"
#include "data/vocabulary/vocabulary_check.h"

namespace nmt {
namespace {

using nlohmann::json;

/// Reads one file after another into the same facts.
class FactsReader {
 public:
  explicit FactsReader(const std::string& name) : name_(name) {}

  void read_config(const std::string& text) {
    read(text, "tokenizer_config.json", [this](const json& config) {
      facts_.type = text_of(config, "tokenizer_class");
      if (facts_.type.ends_with("Fast")) facts_.type.resize(facts_.type.size() - std::string("Fast").size());
      facts_.source_language = text_of(config, config.contains("src_lang") ? "src_lang" : "source_lang");
      facts_.target_language = text_of(config, config.contains("tgt_lang") ? "tgt_lang" : "target_lang");
      facts_.is_legacy = config.value("legacy_behaviour", false);
      facts_.separate_vocabs = config.value("separate_vocabs", false);
      const json added = config.value("added_tokens_decoder", json::object());
      for (const auto& [id, token] : added.items()) {
        add(number(id), token.at("content"));
        if (token.value("special", false)) facts_.hidden.insert(number(id));
      }
      facts_.extra_ids = config.contains("extra_ids") ? whole_number(config["extra_ids"]) : facts_.extra_ids;
      read_special(config);
    });
  }

  void read_added(const std::string& text) {
    read(text, "added_tokens.json", [this](const json& added) {
      for (const auto& [token, id] : added.items()) add(whole_number(id), token);
    });
  }

  void read_special_map(const std::string& text) {
    read(text, "special_tokens_map.json", [this](const json& special) { read_special(special); });
  }

  TokenizerFacts facts() { return std::move(facts_); }

 private:
  template <class Take>
  void read(const std::string& text, const char* file, Take take) const {
    if (text.empty()) return;
    const json parsed = parsed_json(text, fmt::format("{}/{}", name_, file));
    try {
      take(parsed);
    } catch (const json::exception&) {
      throw Error("'{}': {} is not as transformers writes it", name_, file);
    } catch (const Error& error) {
      throw Error("'{}': {}: {}", name_, file, error.what());
    }
  }

  /// Returns a text, or an empty one if it is missing.
  static std::string text_of(const json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? "" : found->get<std::string>();
  }

  static int number(const std::string& text) {
    const int number = number_of<int>(text).value_or(-1);
    if (number < 0) throw Error("the id {} is not a number", quoted(text));
    return number;
  }

  /// Returns a token, given as a text or as an object that describes it.
  static std::string token_in(const json& value) {
    return value.is_object() ? value.at("content").get<std::string>() : value.get<std::string>();
  }

  void read_special(const json& object) {
    for (const auto& [key, value] : object.items()) {
      if (key == "additional_special_tokens") {
        facts_.additional.clear();  // the other file contains them too
        for (const json& token : value) facts_.additional.push_back(token_in(token));
      } else if (key.ends_with("_token") && (value.is_string() || value.is_object())) {
        facts_.special[key] = token_in(value);
      }
    }
  }

  void add(int id, const std::string& token) {
    check_added_token(token);
    const auto [place, is_new] = facts_.added.emplace(id, token);
    if (!is_new && place->second != token) {
      throw Error("{1} and {2} have the same id, {0}", id, quoted(place->second), quoted(token));
    }
  }

  const std::string& name_;
  TokenizerFacts facts_;
};

}  // namespace

void check_added_token(std::string_view token) {
  if (token.size() > kLongestPiece)
    throw Error("an added token has {} bytes, more than {}", token.size(), kLongestPiece);
}

TokenizerFacts tokenizer_facts(const TokenizerFiles& files, const std::string& name) {
  FactsReader reader(name);
  reader.read_config(files.tokenizer_config);
  reader.read_added(files.added_tokens);
  reader.read_special_map(files.special_tokens_map);
  return reader.facts();
}

namespace {

constexpr const char* kMask = "<mask>";

/// The languages of mBART in the order of their ids, followed by those that mBART-50 adds.
constexpr const char* kMBartLanguages[] = {
    "ar_AR", "cs_CZ", "de_DE", "en_XX", "es_XX", "et_EE", "fi_FI", "fr_XX", "gu_IN", "hi_IN", "it_IT",
    "ja_XX", "kk_KZ", "ko_KR", "lt_LT", "lv_LV", "my_MM", "ne_NP", "nl_XX", "ro_RO", "ru_RU", "si_LK",
    "tr_TR", "vi_VN", "zh_CN", "af_ZA", "az_AZ", "bn_IN", "fa_IR", "he_IL", "hr_HR", "id_ID", "ka_GE",
    "km_KH", "mk_MK", "ml_IN", "mn_MN", "mr_IN", "pl_PL", "ps_AF", "pt_XX", "sv_SE", "sw_KE", "ta_IN",
    "te_IN", "th_TH", "tl_XX", "uk_UA", "ur_PK", "xh_ZA", "gl_ES", "sl_SI"};
constexpr std::size_t kFirstMBartLanguages = 25;

/// The languages of M2M-100, without the underscores around them.
constexpr const char* kM2mLanguages[] = {
    "af", "am", "ar", "ast", "az", "ba",  "be", "bg", "bn", "br", "bs", "ca", "ceb", "cs", "cy", "da", "de",
    "el", "en", "es", "et",  "fa", "ff",  "fi", "fr", "fy", "ga", "gd", "gl", "gu",  "ha", "he", "hi", "hr",
    "ht", "hu", "hy", "id",  "ig", "ilo", "is", "it", "ja", "jv", "ka", "kk", "km",  "kn", "ko", "lb", "lg",
    "ln", "lo", "lt", "lv",  "mg", "mk",  "ml", "mn", "mr", "ms", "my", "ne", "nl",  "no", "ns", "oc", "or",
    "pa", "pl", "ps", "pt",  "ro", "ru",  "sd", "si", "sk", "sl", "so", "sq", "sr",  "ss", "su", "sv", "sw",
    "ta", "th", "tl", "tn",  "tr", "uk",  "ur", "uz", "vi", "wo", "xh", "yi", "yo",  "zh", "zu"};
constexpr std::string_view kAroundM2m = "__";

/// Returns how a type of tokenizer uses language tokens.
LanguageUse language_use(const TokenizerFacts& facts) {
  using Source = LanguageUse::Source;
  using Target = LanguageUse::Target;
  if (facts.type == "MBartTokenizer") return {.source = Source::own_at_end, .target = Target::begin};
  return {.source = facts.is_legacy ? Source::own_at_end : Source::own_before, .target = Target::first};
}

/// Adds the tokens in the facts of a tokenizer to a list of words.
class Addition {
 public:
  Addition(const TokenizerFacts& facts, const std::string& name) : facts_(facts), name_(name) {
    for (const auto& [id, token] : facts.added) ids_.emplace(token, id);
    languages_ = language_tokens();
  }

  /// Adds tokens to words, of which the first has the id `first`: at the ids that the facts name, or if they
  /// name no language ids, the languages in order and then `last` after the words. Returns the ids of
  /// languages by token.
  std::map<std::string, int> add_to(WordList& words, int first, const WordList& last) const {
    const auto is_named = [this](const std::string& token) { return ids_.contains(token); };
    const bool are_named = std::ranges::any_of(languages_, is_named);
    std::map<std::string, int> languages;
    for (const std::string& token : languages_) {
      if (are_named && !is_named(token)) throw unusable(name_, "its files name no id of " + quoted(token));
      languages[token] = are_named ? ids_.at(token) : first + static_cast<int>(words.size());
      if (!are_named) words.push_back(token);
    }
    if (!are_named) words.insert(words.end(), last.begin(), last.end());
    place(words, first);
    return languages;
  }

  /// Returns the vocabulary after checking that every token has the id in the facts.
  Vocabulary checked(Vocabulary vocabulary) const {
    for (const auto& [token, id] : ids_) {
      if (vocabulary.find(token) == id) continue;
      throw unusable(
          name_, fmt::format("its files give the token {} the id {}, which is not how its words are numbered",
                             quoted(token), id));
    }
    return vocabulary;
  }

 private:
  /// Returns the language tokens in order: those in the facts, or those of the type of tokenizer.
  WordList language_tokens() const {
    WordList tokens = facts_.additional;
    if (tokens.empty()) {
      for (const auto& [id, token] : facts_.added) tokens.push_back(token);
    }
    std::erase_if(tokens, [](const std::string& token) { return token.starts_with('<'); });  // <mask>
    if (!tokens.empty() || facts_.names_all_tokens) return tokens;
    const std::span<const char* const> all(kMBartLanguages);
    if (facts_.type == "MBart50Tokenizer") return {all.begin(), all.end()};
    if (facts_.type == "MBartTokenizer") return {all.begin(), all.begin() + kFirstMBartLanguages};
    if (facts_.type == "M2M100Tokenizer") {
      for (const char* code : kM2mLanguages) tokens.push_back(fmt::format("{0}{1}{0}", kAroundM2m, code));
      return tokens;
    }
    throw unusable(name_, "its files name no languages (additional_special_tokens)");
  }

  /// Puts tokens at the ids in the facts, unless these are taken (see checked()).
  void place(WordList& words, int first) const {
    const std::size_t most = words.size() + 2 * ids_.size();  // a few ids may be unused
    for (const auto& [token, id] : ids_) {
      const auto place = static_cast<std::size_t>(id - first);
      if (id < first || (place < words.size() && !words[place].empty())) continue;
      if (place >= most) {
        throw unusable(name_,
                       fmt::format("the token {} has the id {}, far above all others", quoted(token), id));
      }
      words.resize(std::max(words.size(), place + 1));
      words[place] = token;
    }
  }

  const TokenizerFacts& facts_;
  const std::string& name_;
  std::map<std::string, int> ids_;
  WordList languages_;
};

/// Adds the default languages of a tokenizer that has no token for them: transformers uses the unknown piece.
void add_unknown_languages(LanguageUse& languages, const TokenizerFacts& facts) {
  for (const std::string& code : {facts.source_language, facts.target_language}) {
    if (!code.empty()) languages.tokens.try_emplace(code, fairseq_facts({}, 0).unknown);
  }
}

int id_of(const char* token, const WordList& words, const std::string& name) {
  const auto id = id_in(words, token);
  if (!id) throw unusable(name, fmt::format("its list lacks {}", token));
  return *id;
}

}  // namespace

Vocabulary make_fairseq_vocabulary(std::string sentencepiece, const TokenizerFacts& facts, int rows,
                                   const std::string& name) {
  const auto& type = facts.type;
  if (type != "NllbTokenizer" && type != "MBart50Tokenizer" && type != "MBartTokenizer") {
    throw unusable(name,
                   fmt::format("its tokenizer is {}, not NllbTokenizer, MBart50Tokenizer or MBartTokenizer",
                               quoted(type)));
  }
  const Addition addition(facts, name);
  WordList added;
  LanguageUse languages = language_use(facts);
  languages.tokens = addition.add_to(added, first_added_of_fairseq(sentencepiece, name), {kMask});
  if (facts.names_all_tokens) add_unknown_languages(languages, facts);
  return addition.checked(
      make_fairseq_vocabulary(std::move(sentencepiece), std::move(added), std::move(languages), rows, name));
}

Vocabulary make_m2m_vocabulary(std::string sentencepiece, WordList words, const TokenizerFacts& facts,
                               int rows, const std::string& name, const std::string& sentencepiece_name) {
  const Addition addition(facts, name);
  const int unknown = id_of("<unk>", words, name);
  ListFacts list{.end = id_of("</s>", words, name),
                 .unknown = unknown,
                 .begin = id_of("<s>", words, name),
                 .special = {id_of("<pad>", words, name), unknown},
                 .rows = rows,
                 .languages = language_use(facts)};
  for (const auto& [token, id] : addition.add_to(words, 0, {})) {
    const std::size_t around = kAroundM2m.size();
    const bool is_code =
        token.size() > 2 * around && token.starts_with(kAroundM2m) && token.ends_with(kAroundM2m);
    if (!is_code) throw unusable(name, quoted(token) + " is not the token of a language");
    list.languages.tokens[token.substr(around, token.size() - 2 * around)] = id;
  }
  return addition.checked(make_piece_vocabulary(std::move(sentencepiece), std::move(words), std::move(list),
                                                name, sentencepiece_name));
}

namespace {

/// Returns the ids of the pieces that stand for themselves in a text, in a model that has been checked.
std::vector<int> user_defined_pieces(const std::string& sentencepiece) {
  std::vector<int> ids;
  int id = 0;
  for (FieldReader model(sentencepiece); model.next();) {
    if (model.number() != model_proto::kPiece) continue;
    for (FieldReader piece(model.bytes()); piece.next();) {
      if (piece.number() == model_proto::kType &&
          piece.value() == static_cast<std::uint64_t>(model_proto::PieceType::user_defined))
        ids.push_back(id);
    }
    ++id;
  }
  return ids;
}

/// Returns the languages among tokens such as <2de>.
LanguageUse told_languages(const WordList& words, const std::vector<int>& tokens) {
  LanguageUse languages{.source = LanguageUse::Source::target_before};
  for (const int id : tokens) {
    const std::string_view code = code_in_angles(words[static_cast<std::size_t>(id)]);
    if (!code.empty()) languages.tokens[std::string(code)] = id;
  }
  return languages.tokens.empty() ? LanguageUse() : languages;
}

/// Adds the sentinels of T5 after the pieces, and the tokens that the files of a tokenizer name, as far as
/// the model has rows for them. Returns the ids of these tokens.
std::vector<int> add_tokens_of_t5(const TokenizerFacts& facts, int rows, WordList& words) {
  std::map<int, std::string> tokens = facts.added;
  const int first = static_cast<int>(words.size());
  for (int i = 0; i < facts.extra_ids && !facts.names_all_tokens; ++i)
    tokens.try_emplace(first + i, fmt::format("<extra_id_{}>", facts.extra_ids - 1 - i));
  words.resize(static_cast<std::size_t>(std::max(first, rows)));
  std::unordered_set<std::string> known(words.begin(), words.end());
  std::vector<int> added;
  for (const auto& [id, token] : tokens) {
    if (id >= std::ssize(words)) continue;
    std::string& word = words[static_cast<std::size_t>(id)];
    if (word.empty() && known.insert(token).second) word = token;
    if (word == token) added.push_back(id);
  }
  return added;
}

}  // namespace

Vocabulary make_t5_vocabulary(const std::string& sentencepiece, const TokenizerFacts& facts, int rows,
                              std::optional<int> begin, const std::string& name) {
  const Vocabulary pieces = Vocabulary::from_bytes(sentencepiece, name);
  WordList words;
  for (int id = 0; id < pieces.size(); ++id) words.push_back(pieces.piece(id));
  ListFacts list{.end = id_of("</s>", words, name),
                 .unknown = pieces.unknown(),
                 .begin = begin,
                 .special = {id_of("<pad>", words, name), pieces.unknown()}};
  std::set<int> added = {};
  for (const int id : user_defined_pieces(sentencepiece)) added.insert(id);
  for (const int id : add_tokens_of_t5(facts, rows, words)) added.insert(id);
  std::erase_if(added, [&](int id) { return id == list.end || std::ranges::count(list.special, id) > 0; });
  list.added.assign(added.begin(), added.end());
  list.languages = told_languages(words, list.added);
  for (const int id : list.added) {
    if (facts.hidden.contains(id) || words[static_cast<std::size_t>(id)].starts_with("<extra_id_"))
      list.special.push_back(id);
  }
  return make_piece_vocabulary(sentencepiece, std::move(words), std::move(list), name);
}

Vocabulary make_byt5_vocabulary(const TokenizerFacts& facts, int rows, std::optional<int> begin,
                                const std::string& name) {
  constexpr int kBytes = 256, kSentinels = 125;
  WordList words = {"<pad>", "</s>", "<unk>"};
  for (int byte = 0; byte < kBytes; ++byte)
    words.push_back(written_bytes(std::string(1, static_cast<char>(byte))));
  const int first = static_cast<int>(words.size());
  ListFacts list{.end = 1, .unknown = 2, .begin = begin, .special = {0, 2}, .rows = rows};
  for (int id = first; id < std::min(rows, first + kSentinels); ++id) {
    const auto named = facts.added.find(id);
    words.push_back(named != facts.added.end() ? named->second : fmt::format("<extra_id_{}>", id - first));
    list.added.push_back(id);
    list.special.push_back(id);
  }
  return make_byte_vocabulary(std::move(words), std::move(list), name);
}

Vocabulary make_bart_vocabulary(std::string merges, WordList words, int rows, const std::string& name) {
  const int unknown = id_of("<unk>", words, name);
  ListFacts facts{.end = id_of("</s>", words, name),
                  .unknown = unknown,
                  .begin = id_of("<s>", words, name),
                  .special = {id_of("<pad>", words, name), unknown},
                  .rows = rows};
  if (const auto mask = id_in(words, kMask)) facts.special.push_back(*mask);
  return make_byte_pair_vocabulary(std::move(merges), std::move(words), std::move(facts), name);
}

}  // namespace nmt
