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

/// Returns the id that separates the sentences of a source or a target: BOS, which occurs nowhere else in
/// text. Throws UsageError if the vocabulary has none.
int separator_of(const Vocabulary& vocabulary);

}  // namespace nmt
