// Word alignments and weights of a pair of lines as those of its tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/example.h"
#include "data/text/parallel_text.h"

namespace nmt {

/// A pair of lines with what belongs to it. The last two are empty where they are not read.
struct AnnotatedLines {
  std::string_view source, target, alignment, weights;
};

/// Gives an example, which encode_pair() made of these lines with this encoding and with these words, the
/// links and weights that the encoding asks for. Errors call the alignment and the weights by these names and
/// the number of their line, from 1. Throws Error as parse_word_alignment(), links_of(), parse_weights() and
/// token_weights() do.
void annotate(Example& example, const AnnotatedLines& lines, const WordsOfPair& words,
              const Encoding& encoding, const std::string& alignment_name, const std::string& weights_name,
              std::int64_t number);

}  // namespace nmt
