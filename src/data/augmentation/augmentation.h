// Augmentation: random changes of the pairs that a model is trained on, new ones in each pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "data/augmentation/aligned_words.h"
#include "data/augmentation/modifier.h"
#include "data/example.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// Changes pairs by the rates of its modifiers. What happens to a pair is a function of a key and the number
/// of the pair, whatever happens to others; so runs continue exactly, and all ranks see the same pairs. May
/// be used by several threads at a time.
class Augmentation {
 public:
  /// By default, changes nothing.
  explicit Augmentation(const ModifierRates& rates = {}) : rates_(rates) {}

  const ModifierRates& rates() const { return rates_; }

  /// Reads the pair to change (0), or one of those after it in the corpus, which a merge appends to it and
  /// whose words terms take. Returns nothing for a pair that cannot be changed.
  using ReadPair = std::function<std::optional<AlignedWords>(std::int64_t following)>;

  /// Returns a changed pair of text; nothing, usually without reading it, if it stays as it is. `most_links`:
  /// an upper bound of the number of its links.
  std::optional<AlignedWords> changed(std::uint64_t key, std::int64_t number, std::size_t most_links,
                                      const ReadPair& read) const;
  /// Changes the source tokens of an example, whose segments are final; see TokenNoise.
  void change_tokens(std::uint64_t key, std::int64_t number, const Vocabulary& source,
                     Example& example) const;

 private:
  /// Whether a modifier of pairs is drawn for this one.
  bool is_drawn(Modifier modifier, std::uint64_t key, std::int64_t number) const;

  ModifierRates rates_;
};

}  // namespace nmt
