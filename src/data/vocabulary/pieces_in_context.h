// Vocabularies whose pieces are written in different ways, depending on those next to them.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// What a VocabularyModel offers as well where the space before a piece follows from the pieces around it.
class PiecesInContext {
 public:
  virtual ~PiecesInContext() = default;

  /// The pieces of ids below size(), as many as ids. Together they are the text that decode() gives, where
  /// U+2581 stands for a space. Special tokens are as piece() names them, and the unknown piece is "⁇".
  virtual std::vector<std::string> pieces_of(const std::vector<int>& ids) const = 0;
};

}  // namespace nmt
