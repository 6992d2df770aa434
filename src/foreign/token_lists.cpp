#include "foreign/token_lists.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "nn/files/safetensors.h"

namespace nmt {
namespace {

struct Roles {
  bool is_source, is_target;
};

bool is_sentinel(std::string_view word) {
  return word.starts_with("<extra_id_") && word.ends_with('>');
}

/// Adds the tokens of models of the T5 family that stand for themselves in a text: sentinels and languages.
void add_tokens_of_text(const WordList& words, ListFacts& facts) {
  for (int id = 0; id < std::ssize(words); ++id) {
    const std::string& word = words[static_cast<std::size_t>(id)];
    if (!is_sentinel(word) && code_in_angles(word).empty()) continue;
    facts.added.push_back(id);
    if (is_sentinel(word)) facts.special.push_back(id);
  }
}

/// Returns the languages of tokens such as <2de>.
LanguageUse told_languages(const WordList& words) {
  LanguageUse languages{.source = LanguageUse::Source::target_before};
  for (int id = 0; id < std::ssize(words); ++id) {
    const std::string_view code = code_in_angles(words[static_cast<std::size_t>(id)]);
    if (!code.empty()) languages.tokens[std::string(code)] = id;
  }
  return languages.tokens.empty() ? LanguageUse() : languages;
}

/// Makes the vocabularies of one model.
class Maker {
 public:
  Maker(const TokenLists& lists, const TokenNames& names, const ModelSettings& settings)
      : lists_(lists),
        names_(names),
        starts_with_token_(settings.at("decoder_start") == "bos"),
        source_rows_(rows(settings, "source_vocabulary")),
        target_rows_(rows(settings, "target_vocabulary")) {}

  Vocabularies both() const {
    // A vocabulary has one BOS.
    const bool begin_alike =
        !starts_with_token_ || !names_.source_has_bos || names_.decoder_start == names_.bos;
    const bool are_one = lists_.are_one() && source_rows_ == target_rows_ && begin_alike && !lists_.first;
    return {vocabulary(lists_.source, lists_.source_pieces, source_rows_, {true, are_one}),
            vocabulary(lists_.target, lists_.target_pieces, target_rows_, {are_one, true})};
  }

 private:
  static int rows(const ModelSettings& settings, const std::string& name) {
    return static_cast<int>(integer_setting(settings, name, 0, 1 << 24));
  }

  Vocabulary vocabulary(const ListedTokens& list, const std::optional<TokenPieces>& pieces, int rows,
                        Roles roles) const {
    WordList words = list.words;
    if (!id_in(words, names_.unk)) words.push_back(names_.unk);
    ListFacts facts = facts_of(list.name, words, roles);
    facts.rows = rows;
    if (pieces) {
      add_tokens_of_text(words, facts);
      facts.languages = languages_of(words, *pieces, roles);
      return vocabulary_of(*pieces, std::move(words), std::move(facts), list.name);
    }
    facts.spells_special = true;
    return make_word_vocabulary(std::move(words), std::move(facts), list.name);
  }

  static Vocabulary vocabulary_of(const TokenPieces& pieces, WordList words, ListFacts facts,
                                  const std::string& name) {
    if (!pieces.moses)
      return make_piece_vocabulary(pieces.bytes, std::move(words), std::move(facts), name, pieces.name);
    facts.moses = pieces.moses;
    return make_moses_vocabulary(pieces.bytes, "", std::move(words), std::move(facts), pieces.name);
  }

  LanguageUse languages_of(const WordList& words, const TokenPieces& pieces, Roles roles) const {
    if (lists_.first) return roles.is_target ? told_by_first_token(words) : LanguageUse();
    const LanguageUse languages = bracketed_languages(words);
    if (!languages.tokens.empty() || pieces.moses) return languages;
    const LanguageUse coded = coded_languages(words, pieces.bytes, pieces.name);
    return coded.tokens.empty() ? told_languages(words) : coded;
  }
  LanguageUse told_by_first_token(const WordList& words) const {
    const auto& [name, token, language] = *lists_.first;
    const std::optional<int> id = id_in(words, token);
    if (!id)
      throw Error("'{}': translations begin with {}, which the model does not know", name, in_quotes(token));
    return {.tokens = {{language, *id}}, .target = LanguageUse::Target::first};
  }

  ListFacts facts_of(const std::string& name, const WordList& words, Roles roles) const {
    const int unknown = id_in(words, names_.unk).value();
    const auto find = [&](const std::string& token) { return id_in(words, token); };
    ListFacts facts;
    facts.end = end_of(name, words, roles);
    facts.unknown = unknown;
    facts.begin = find(names_.bos);
    if (roles.is_source && names_.source_has_bos) facts.begin = facts.begin.value_or(unknown);
    // A token that the list lacks becomes the unknown token, as in CTranslate2.
    if (roles.is_target && starts_with_token_) facts.begin = find(*names_.decoder_start).value_or(unknown);
    for (const std::string& token : never_in_text()) {
      const std::optional<int> id = find(token);
      if (id && id != unknown) facts.special.push_back(*id);
    }
    return facts;
  }

  /// Returns tokens other than EOS that never occur in text.
  std::vector<std::string> never_in_text() const {
    std::vector<std::string> tokens = names_.padding;
    tokens.push_back(names_.bos);
    return tokens;
  }

  /// A source without EOS may lack the token; then a token that never occurs in text takes its place.
  int end_of(const std::string& name, const WordList& words, Roles roles) const {
    std::vector<std::string> tokens = {names_.eos};
    if (!roles.is_target && !names_.source_has_eos)
      std::ranges::copy(never_in_text(), std::back_inserter(tokens));
    for (const std::string& token : tokens) {
      if (const std::optional<int> id = id_in(words, token)) return *id;
    }
    throw Error("'{}' has no {}, which is needed to translate", name, in_quotes(tokens[0]));
  }

  const TokenLists& lists_;
  const TokenNames& names_;
  bool starts_with_token_;
  int source_rows_, target_rows_;
};

}  // namespace

std::string source_special_tokens_of(const TokenNames& names) {
  if (names.source_has_bos) return names.source_has_eos ? "both" : "bos";
  return names.source_has_eos ? "eos" : "none";
}

std::string decoder_start_of(const TokenNames& names, const std::string& name) {
  if (names.decoder_start) return *names.decoder_start == names.eos ? "eos" : "bos";
  throw Error(
      "'{}' cannot be opened: its decoder starts with a token that comes with each text, as that of a "
      "language",
      name);
}

void check_both_pieces(const std::string& folder, bool has_source, bool has_target) {
  if (has_source == has_target) return;
  throw Error("'{}' has {}, but no {}, without which {}; copy all files of the model", folder,
              has_source ? "source.spm" : "target.spm", has_source ? "target.spm" : "source.spm",
              has_source ? "translations would be pieces, not text" : "text cannot be divided into pieces");
}

Vocabularies vocabularies_of(const TokenLists& lists, const TokenNames& names,
                             const ModelSettings& settings) {
  return Maker(lists, names, settings).both();
}

}  // namespace nmt
