// Truecasing: the first words of sentences get the case that they have elsewhere.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/moses/tokenizer.h"

namespace nmt {

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
