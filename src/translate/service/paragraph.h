// Texts of several sentences, each of which is translated for itself.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/sentences.h"
#include "translate/service/translation_request.h"

namespace nmt {

/// A text, and what comes of its sentences, in any order.
class Paragraph {
 public:
  /// `splitter`: null where the text is one sentence as it is.
  Paragraph(std::string text, const SentenceSplitter* splitter);

  /// At least one. They are parts of a text in this object.
  const std::vector<std::string_view>& sentences() const { return sentences_; }

  /// Brings what came of a sentence; with the last one, returns what came of the whole: that of a sentence
  /// alone as it is, or else of several one translation. There the best ones of sentences stand with the
  /// white space that was between these (see usual_gap() where there was none); scores, log-probabilities and
  /// counts of tokens are sums, tokens and words those of all. If a sentence has failed, the text has, and if
  /// one was cut, the text was. Any thread.
  std::optional<TranslationResult> put(std::size_t sentence, TranslationResult result);

 private:
  TranslationResult joined();
  /// What is between this sentence and the next one.
  std::string_view gap(std::size_t sentence) const;

  std::string text_;
  std::vector<std::string_view> sentences_;
  std::mutex mutex_;
  std::vector<TranslationResult> results_;
  std::size_t missing_;
};

}  // namespace nmt
