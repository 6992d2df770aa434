// The languages of a text and of its translation, for models of more than two.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// Codes as a vocabulary has them ("de", "deu_Latn"); empty: none is named.
struct Languages {
  std::string source, target;

  bool operator==(const Languages&) const = default;
  /// These, and those of `usual` where none is named.
  Languages or_else(const Languages& usual) const;
};

/// The side of a model whose text a vocabulary encodes.
enum class Side : std::uint8_t { source, target };

/// The tokens that a text has because of its language, or of its side.
struct LanguageTokens {
  std::vector<int> first;          // of every text, before all others
  std::vector<int> before, after;  // of a text that is not empty
  std::optional<int> begin, end;   // instead of BOS and EOS

  bool operator==(const LanguageTokens&) const = default;
};

/// What a vocabulary knows of languages, and how its model is told of them.
struct LanguageUse {
  /// The token that a source text has: none; before it that of the target language (OPUS-MT, nmt vocab
  /// --languages); that of its own, before it (M2M-100, mBART-50, NLLB) or, behind EOS, at its end (mBART,
  /// older NLLB).
  enum class Source : std::uint8_t { none, target_before, own_before, own_at_end };
  /// The token of the target language: nowhere; the first one of a translation (M2M-100, mBART-50, NLLB); in
  /// place of BOS (mBART).
  enum class Target : std::uint8_t { none, first, begin };

  std::map<std::string, int> tokens;  // ids by code
  Source source = Source::none;
  Target target = Target::none;

  bool operator==(const LanguageUse&) const = default;

  /// The codes, sorted.
  std::vector<std::string> codes() const;
  /// The tokens of text of a side; `end`: EOS. Throws UsageError for a code that is not there, for a source
  /// language of which the model is not told, and where one is missing that it has to be told.
  LanguageTokens tokens_of(Side side, const Languages& languages, int end) const;
  /// Whether a source may begin with a token that tells the language of its translation.
  bool is_told_by_source() const { return source == Source::target_before; }
  /// The token of one of these languages that the text of such a source begins with; empty where there is
  /// none.
  std::string_view token_in_front(std::string_view text) const;
  /// Whether a piece is such a token.
  bool is_token_in_front(std::string_view piece, int id) const;
};

/// Those whose tokens stand in brackets among pieces: >>deu<< (OPUS-MT), or the same as a word of its own,
/// with U+2581 in front (nmt vocab --languages). The source is told that of the target.
LanguageUse bracketed_languages(const std::vector<std::string>& pieces);

/// The token of a language in brackets, >>de<<.
std::string bracketed(std::string_view code);

}  // namespace nmt
