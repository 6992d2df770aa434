// Converts word alignments and weights of a pair of lines to those of its tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/example.h"
#include "data/text/parallel_text.h"

namespace nmt {

/// A pair of lines with its annotations, which are empty if they are not read.
struct AnnotatedLines {
  std::string_view source, target, alignment, weights;
};

/// Adds to an example, which encode_pair() made of these lines and words, the links and weights that the
/// encoding asks for. Errors call the alignment and the weights by these names and the line number, from 1.
/// Throws Error as parse_word_alignment(), links_of(), parse_weights() and token_weights() do.
void annotate(Example& example, const AnnotatedLines& lines, const WordsOfPair& words,
              const Encoding& encoding, const std::string& alignment_name, const std::string& weights_name,
              std::int64_t number);

}  // namespace nmt
