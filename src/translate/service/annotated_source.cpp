#include "translate/service/annotated_source.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "common/text/words.h"
#include "data/vocabulary/term_symbols.h"
#include "data/vocabulary/vocabulary_model.h"

namespace nmt {
namespace {

/// Returns words with spaces between them and after them.
std::string spaced(std::initializer_list<std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text.append(word).append(" ");
  return text;
}

}  // namespace

AnnotatedSource::AnnotatedSource(std::string_view sentence, const std::vector<TermAnnotation>& annotations) {
  std::size_t end = 0;
  const auto copy_until = [&](std::size_t place) {
    parts_.push_back({text_.size(), end, true});
    text_.append(sentence, end, place - end);
    end = place;
  };
  for (const TermAnnotation& annotation : annotations) {
    copy_until(annotation.begin);
    const bool begins_word = text_.empty() || separates_words(text_.back());
    annotate((begins_word ? "" : " ") + spaced({kTermBegin}), annotation.begin);
    copy_until(annotation.end);
    annotate(" " + spaced({kTermTranslation, annotation.translation}).append(kTermEnd), annotation.end - 1);
  }
  copy_until(sentence.size());
}

void AnnotatedSource::annotate(std::string_view text, std::size_t place) {
  parts_.push_back({text_.size(), place, false});
  text_.append(text);
}

std::size_t AnnotatedSource::place_in_sentence(std::size_t place) const {
  if (place == kNowhere) return kNowhere;
  const Part& part = *std::prev(std::ranges::upper_bound(parts_, place, {}, &Part::begin));
  return part.place + (part.is_of_sentence ? place - part.begin : 0);
}

}  // namespace nmt
