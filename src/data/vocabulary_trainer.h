// Makes vocabularies from text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/vocabulary.h"

namespace nmt {

struct VocabularySettings {
  /// Text files, one sentence a line, as TextReader takes them.
  std::vector<std::string> inputs;
  /// unigram, bpe, char or word.
  std::string type = "unigram";
  /// Number of pieces.
  int size = 32000;
  /// Part of the characters of the text that get a piece, 0.98 to 1; the rest is unknown (or bytes).
  double coverage = 0.9995;
  /// nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf (cf: case folded) or identity.
  std::string normalization = "nmt_nfkc";
  /// Characters without a piece are spelled as UTF-8 bytes, each a piece.
  bool byte_fallback = false;
  /// Texts that are one piece wherever they stand.
  std::vector<std::string> user_symbols;
  /// Train on this many lines at most, more than 100, drawn at random.
  std::int64_t sample_lines = 10'000'000;
  /// Parts into which SentencePiece divides its work. Sums are taken part by part, so this decides the last
  /// digits of scores: a fixed number gives the same vocabulary on every machine.
  int threads = 16;
  std::uint64_t seed = 1;  // SentencePiece takes its low 32 bits
};

struct TrainedVocabulary {
  Vocabulary vocabulary;
  /// Lines read.
  std::int64_t lines = 0;
  /// Pieces per line that is not empty, over the first lines of each input.
  double pieces_per_line = 0;
};

/// Trains a vocabulary with <unk> 0, <s> 1, </s> 2. The same input and settings give the same bytes. Lines
/// above 4192 bytes are passed over. Throws UsageError for settings that no text could satisfy; Error for
/// unreadable or empty input and for a size that the text cannot fill, or that cannot hold its characters.
TrainedVocabulary train_vocabulary(const VocabularySettings& settings);

}  // namespace nmt
