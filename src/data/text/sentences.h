// Sentences of a text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// Whether this is the code of a language, of two or three letters (ISO 639), which a script or a country may
/// follow ("de", "deu_Latn", "de-AT"); of three letters that ICU does not know, a script has to ("acq_Arab").
bool is_language_code(const std::string& code);

/// Knows where sentences end: by the rules of Unicode (Standard Annex 29), and by those of a language, whose
/// abbreviations end none (CLDR), as ICU has them.
class SentenceSplitter {
 public:
  /// `language`: its code ("de", "deu_Latn"); empty, or one that ICU has no rules of: the rules of Unicode
  /// alone.
  explicit SentenceSplitter(const std::string& language = "");
  ~SentenceSplitter();
  SentenceSplitter(const SentenceSplitter&) = delete;
  SentenceSplitter& operator=(const SentenceSplitter&) = delete;

  /// The sentences of a text, which is UTF-8, without white space around them; none where there is nothing
  /// else. They are parts of `text`. For any thread.
  std::vector<std::string_view> operator()(std::string_view text) const;

 private:
  struct Rules;
  std::unique_ptr<const Rules> rules_;
};

/// What joins two sentences between which there was no white space: a blank, or nothing where the text on one
/// side of it is written without blanks, as Chinese, Japanese and Thai are.
std::string_view usual_gap(std::string_view before, std::string_view after);

}  // namespace nmt
