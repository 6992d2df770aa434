// The scripts of Moses that prepare text, as is usual in statistical translation. The tokenizer divides text
// into words and punctuation marks, and the detokenizer is its inverse. The normalization of punctuation
// comes before the tokenizer. Truecasing gives the first words of sentences the case that they have
// elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/moses/traced_text.h"

namespace nmt {

struct MosesToken {
  std::string text;       // UTF-8 without spaces
  std::size_t place = 0;  // first byte in the original text

  bool operator==(const MosesToken&) const = default;
};

struct MosesTokenizing {
  std::string language = "en";  // language of apostrophes and abbreviations
  bool hyphens = true;          // divide at hyphens within words: "well @-@ known" (-a)
  bool escapes = true;          // write &'"<>|[] as entities; false is -no-escape
};

/// Divides text into tokens as tokenizer.perl of Moses 4.0 does.
std::vector<MosesToken> moses_tokens(TracedText text, const MosesTokenizing& settings);

/// Replaces entities in a token by their characters.
std::string without_escapes(std::string_view token);

/// A token and the space before it in the text.
struct PlacedToken {
  std::string text;           // without escapes
  bool space_before = false;  // whether a space precedes it

  bool operator==(const PlacedToken&) const = default;
};

/// Returns how each token is written in text of a language ("en"), as detokenizer.perl of Moses 4.0 does.
/// Tokens may contain escapes; the hyphen mark "@-@" becomes "-".
std::vector<PlacedToken> moses_placed(const std::vector<std::string>& tokens, const std::string& language);

/// A program that normalizes punctuation: Moses' normalize-punctuation.perl, or sacremoses, which differs in
/// some quotation marks.
enum class PunctuationProgram : std::uint8_t { moses, sacremoses };

/// Normalizes punctuation as such a program does for text in `language` ("en"): quotation marks, dashes,
/// spaces next to brackets and punctuation, non-breaking spaces.
TracedText with_normal_punctuation(TracedText text, const std::string& language,
                                   PunctuationProgram program = PunctuationProgram::moses);

/// A truecasing model of Moses: the usual case of each word, and its other known cases.
class Truecaser {
 public:
  /// Reads a model written by train-truecaser.perl, with one line per word: `usual (count/total) other
  /// (count) ...`. An empty model changes nothing. Throws Error with the reason alone for another format.
  explicit Truecaser(std::string_view model);

  bool is_empty() const { return usual_.empty(); }
  /// Gives tokens their usual case as truecase.perl does: always at the beginning of a sentence, elsewhere if
  /// their case is unknown to the model.
  void truecase(std::vector<MosesToken>& tokens) const;

 private:
  std::unordered_map<std::string, std::string> usual_;  // by the word in lower case
  std::set<std::string, std::less<>> known_;
};

/// Capitalizes the first words of sentences, as detruecase.perl does.
void detruecase(std::vector<std::string>& words);

}  // namespace nmt
