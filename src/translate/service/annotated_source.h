// Sentences with the translations of their terms beside them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// The translation of a term of a sentence, and the place of the term, in bytes.
struct TermAnnotation {
  std::size_t begin, end;
  std::string translation;
};

/// A sentence whose terms are annotated, as term_symbols.h says. All results refer to the sentence without
/// annotations, so that places are converted.
class AnnotatedSource {
 public:
  /// `annotations`: in the order of their places, which do not overlap.
  AnnotatedSource(std::string_view sentence, const std::vector<TermAnnotation>& annotations);

  const std::string& text() const { return text_; }
  /// Returns the place in the sentence that a place of the text stands for: the last byte of a term for its
  /// annotation. kNowhere stays.
  std::size_t place_in_sentence(std::size_t place) const;

 private:
  /// A part of the text, up to the next one.
  struct Part {
    std::size_t begin;    // in the text
    std::size_t place;    // in the sentence
    bool is_of_sentence;  // else all of it stands for `place`
  };

  /// Appends text that stands for a place of the sentence.
  void annotate(std::string_view text, std::size_t place);

  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace nmt
