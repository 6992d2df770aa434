// Splits text into sentences.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

namespace sentences {
class Abbreviations;
}  // namespace sentences

/// Whether `code` is a valid language code: two or three letters (ISO 639), optionally followed by a script
/// or a country ("de", "deu_Latn", "de-AT"); three letters that ICU does not know need a script ("acq_Arab").
bool is_language_code(const std::string& code);

/// Splits text into sentences. Sentences end at line separators and at final marks before another sentence,
/// but not after abbreviations, initials, and ordinal numbers, or before lower-case letters. In doubt, text
/// is not split. doc/sentences.md has the rules.
class SentenceSplitter {
 public:
  /// `language`: the language code of the text ("de", "deu_Latn"), which selects abbreviations. Empty or
  /// unknown: the abbreviations of all languages count, and fewer sentences are found. `abbreviations`: a
  /// file of more of them, or empty; see Abbreviations::add_file(), which throws.
  explicit SentenceSplitter(const std::string& language = "", const std::string& abbreviations = "");

  /// Returns the sentences of a UTF-8 text, without white space around them, as views of `text`; none if
  /// there is only white space. Takes linear time. May be called on any thread.
  std::vector<std::string_view> operator()(std::string_view text) const;

 private:
  std::shared_ptr<const sentences::Abbreviations> abbreviations_;
};

/// Returns the text that joins two sentences that had no white space between them: a space, or nothing if the
/// text on one side is written without spaces, as in Chinese, Japanese and Thai.
std::string_view usual_gap(std::string_view before, std::string_view after);

}  // namespace nmt
