// Sentences of a text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

namespace sentences {
class Abbreviations;
}  // namespace sentences

/// Whether this is the code of a language, of two or three letters (ISO 639), which a script or a country may
/// follow ("de", "deu_Latn", "de-AT"); of three letters that ICU does not know, a script has to ("acq_Arab").
bool is_language_code(const std::string& code);

/// Splits text into sentences. Line separators end sentences, and so do final marks that another sentence
/// follows: not after abbreviations, initials, and ordinal numbers, nor before lower-case letters. Where a
/// sentence may go on, it is not split. doc/sentences.md has the rules.
class SentenceSplitter {
 public:
  /// `language`: the code of the language of the text ("de", "deu_Latn"), whose abbreviations count. Empty or
  /// unknown: the abbreviations of all languages count, and fewer sentences are found.
  /// `abbreviations`: a file of more of them, or empty; see Abbreviations::add_file(), which throws.
  explicit SentenceSplitter(const std::string& language = "", const std::string& abbreviations = "");

  /// The sentences of a text in UTF-8, without white space around them, as parts of `text`; none where there
  /// is only white space. Takes linear time. Any thread.
  std::vector<std::string_view> operator()(std::string_view text) const;

 private:
  std::shared_ptr<const sentences::Abbreviations> abbreviations_;
};

/// What joins two sentences between which there was no white space: a blank, or nothing where the text on one
/// side of it is written without blanks, as Chinese, Japanese and Thai are.
std::string_view usual_gap(std::string_view before, std::string_view after);

}  // namespace nmt
