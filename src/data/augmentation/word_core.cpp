#include "data/augmentation/word_core.h"

#include <unicode/uchar.h>

#include "data/sentences/characters.h"

namespace nmt {

std::string_view core_of(std::string_view word) {
  const auto is_outside = [](sentences::Character character) {
    return character.is_there() && u_isalnum(character.value) == 0;
  };
  for (auto next = sentences::character_at(word, 0); is_outside(next);
       next = sentences::character_at(word, 0))
    word.remove_prefix(next.size);
  for (auto last = sentences::character_before(word, word.size()); is_outside(last);
       last = sentences::character_before(word, word.size()))
    word.remove_suffix(last.size);
  return word;
}

}  // namespace nmt
