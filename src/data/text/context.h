// The sentences before a sentence, which its translation may take into account.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// The maximum number of sentences of a context.
inline constexpr int kMostContext = 100;

/// The last sentences of a document so far.
struct Context {
  std::size_t most = 0;                     // the maximum number of sentences
  std::vector<std::string> sentences = {};  // in order

  /// Adds a sentence and drops the first ones that are too many. A sentence without words separates
  /// documents: it drops all sentences.
  void add(std::string sentence);
};

/// The texts of a document so far, from which each text takes its context.
class EarlierTexts {
 public:
  /// Sets the sentences of the context of a text: the last of the earlier texts, at most `context.most`. Then
  /// the text is an earlier one for those that follow; one without words separates documents.
  void give(Context& context, const std::string& text);
  /// Adds a text whose context is not wanted.
  void add(const std::string& text) { texts_.add(text); }
  /// Begins another document.
  void clear() { texts_.sentences.clear(); }

 private:
  Context texts_ = {.most = kMostContext};
};

/// Returns the id that separates the sentences of a source or a target: BOS, which occurs nowhere else in
/// text. Throws UsageError if the vocabulary has none.
int separator_of(const Vocabulary& vocabulary);

}  // namespace nmt
