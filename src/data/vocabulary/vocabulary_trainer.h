// Makes vocabularies from text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/process/job_context.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {

struct VocabularySettings {
  /// Text files, one sentence a line, as TextReader takes them.
  std::vector<std::string> inputs;
  /// unigram, bpe, char or word.
  std::string type = "unigram";
  /// Number of pieces; fewer where the text yields no more.
  int size = 32000;
  /// Part of the characters of the text that get a piece, 0.98 to 1; the rest is unknown (or bytes).
  double coverage = 0.9995;
  /// nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf (cf: case folded) or identity.
  std::string normalization = "nmt_nfkc";
  /// Characters without a piece are spelled as UTF-8 bytes, each a piece.
  bool byte_fallback = false;
  /// Texts that are one piece wherever they occur. They may contain spaces, written as spaces or as U+2581:
  /// "▁de" matches at the beginning of a word.
  std::vector<std::string> user_symbols;
  /// Train on this many lines and bytes at most, drawn at random from all of the text. SentencePiece takes
  /// some 27 bytes of memory for each byte below 2^27, 41 above.
  std::int64_t sample_lines = 10'000'000, sample_bytes = 100'000'000;
  /// Parts into which SentencePiece divides its work. Sums are taken part by part, so this decides the last
  /// digits of scores: a fixed number gives the same vocabulary on every machine.
  int threads = 16;
  std::uint64_t seed = 1;  // of the sample
  JobContext job = {};
};

struct TrainedVocabulary {
  Vocabulary vocabulary;
  /// Lines read.
  std::int64_t lines = 0;
  /// Of these, lines that were too long for SentencePiece and so were split into parts.
  std::int64_t split_lines = 0;
  /// Whether it was trained on a part of the text only.
  bool partial = false;
  /// Pieces per line that is not empty, over the first lines of each input, of long ones their beginning.
  double pieces_per_line = 0;
};

/// The piece that a user symbol becomes in a vocabulary of this type: U+2581 stands for each run of spaces,
/// and pieces of type word, which are whole words, begin with one and do not end with one.
std::string piece_of_symbol(std::string_view symbol, const std::string& type);

/// Trains a vocabulary with <unk> 0, <s> 1, </s> 2, in a child process (run_in_child). The same input and
/// settings give the same bytes. Throws UsageError for settings that no text could satisfy, such as a user
/// symbol that normalization changes; Error for unreadable or empty input, for a size that cannot hold the
/// characters of the text, and where memory is lacking; Interrupted when the job is to end.
TrainedVocabulary train_vocabulary(const VocabularySettings& settings);

}  // namespace nmt
