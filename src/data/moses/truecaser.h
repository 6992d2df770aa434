// Truecasing: words at the beginning of a sentence get the case that they have elsewhere.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/moses/tokenizer.h"

namespace nmt {

/// A truecasing model of Moses: the usual case of each word, and the other cases that are known.
class Truecaser {
 public:
  /// Reads a model: a line for each word, `usual (count/total) other (count) ...`, which train-truecaser.perl
  /// writes. An empty model changes nothing. Throws Error with the reason alone for another form.
  explicit Truecaser(std::string_view model);

  bool is_empty() const { return usual_.empty(); }
  /// Gives tokens their usual case as truecase.perl does: at the beginning of a sentence always, elsewhere
  /// where the case that they have is unknown.
  void truecase(std::vector<MosesToken>& tokens) const;

 private:
  std::unordered_map<std::string, std::string> usual_;  // by the word in lower case
  std::set<std::string, std::less<>> known_;
};

/// Gives words that begin a sentence a capital letter, as detruecase.perl does.
void detruecase(std::vector<std::string>& words);

}  // namespace nmt
