// Languages of a vocabulary, and codes of languages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// A language with its script and country, by their ISO codes: "zh" and "Hant" for "zho_Hant", and "TW" as
/// well for "zh-TW".
struct LanguageCode {
  /// `code`: ISO 639 or BCP 47, with "_" or "-". A code without a script gets the usual script of the
  /// language. An unknown country ("en_XX") is none.
  explicit LanguageCode(const std::string& code);

  std::string language, script, country;
};

/// Returns the one of `codes` that a code means: the code itself if it is one of them. Otherwise the only one
/// that differs only in case and dashes, or else the only one with the same language and script and no other
/// country ("deu_Latn" for "de"). Returns an empty text if there is none, or more than one.
std::string code_meant(const std::string& code, const std::vector<std::string>& codes);

/// Language codes as in a vocabulary ("de", "deu_Latn"); empty: not given.
struct Languages {
  std::string source, target;

  bool operator==(const Languages&) const = default;
  /// Returns these languages, with those of `usual` where none is given.
  Languages or_else(const Languages& usual) const;
};

/// The side of a model whose text a vocabulary encodes.
enum class Side : std::uint8_t { source, target };

/// The tokens that a text has because of its language or its side.
struct LanguageTokens {
  std::vector<int> first;          // at the beginning of every text, before all others
  std::vector<int> before, after;  // around a text that is not empty
  std::optional<int> begin, end;   // replace BOS and EOS

  bool operator==(const LanguageTokens&) const = default;
};

/// The languages of a vocabulary, and the tokens that name them to a model.
struct LanguageUse {
  /// The language token of a source text: none; that of the target language before the text (OPUS-MT, nmt
  /// vocab --languages); that of its own language before it (M2M-100, mBART-50, NLLB), or at its end after
  /// EOS (mBART, older NLLB).
  enum class Source : std::uint8_t { none, target_before, own_before, own_at_end };
  /// The token of the target language: none; the first token of a translation (M2M-100, mBART-50, NLLB);
  /// instead of BOS (mBART).
  enum class Target : std::uint8_t { none, first, begin };

  std::map<std::string, int> tokens;  // ids by code
  Source source = Source::none;
  Target target = Target::none;

  bool operator==(const LanguageUse&) const = default;

  /// Returns the codes, sorted.
  std::vector<std::string> codes() const;
  /// Returns the tokens of text of a side; `end`: EOS. A code may be another one for the same language, see
  /// code_meant(). Throws UsageError for an unknown code, for a source language that the model does not use,
  /// and for a missing one that it needs.
  LanguageTokens tokens_of(Side side, const Languages& languages, int end) const;
  /// Whether a source may begin with a token that names the language of its translation.
  bool is_told_by_source() const { return source == Source::target_before; }
  /// Returns the language token at the beginning of a source text; empty if there is none, or if sources do
  /// not begin with such tokens.
  std::string_view token_in_front(std::string_view text) const;
  /// Whether a piece is such a token.
  bool is_token_in_front(std::string_view piece, int id) const;
};

/// Returns the languages whose tokens are in brackets among pieces: >>deu<< (OPUS-MT), or as a word of its
/// own with U+2581 in front (nmt vocab --languages). A source begins with the token of the target language.
LanguageUse bracketed_languages(const std::vector<std::string>& pieces);

/// Returns the code in a language token of MADLAD-400, such as <2de>; empty for any other text.
std::string_view code_in_angles(std::string_view token);

/// Returns the token of a language in brackets: >>de<<.
std::string bracketed(std::string_view code);

}  // namespace nmt
