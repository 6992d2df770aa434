// Vocabularies whose pieces are written differently depending on their neighbors.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// An additional interface of a VocabularyModel in which the space before a piece depends on the pieces
/// around it.
class PiecesInContext {
 public:
  virtual ~PiecesInContext() = default;

  /// Returns the pieces of ids below size(), one per id. Joined, they are the text of decode(), with U+2581
  /// for spaces. Special tokens are as in piece(), and the unknown piece is "⁇".
  virtual std::vector<std::string> pieces_of(const std::vector<int>& ids) const = 0;
};

}  // namespace nmt
