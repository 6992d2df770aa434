// Makes vocabularies from text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/job_context.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {

struct VocabularySettings {
  /// Text files, one sentence per line, as TextReader reads them.
  std::vector<std::string> inputs;
  /// Type of the vocabulary: unigram, bpe, char or word.
  std::string type = "unigram";
  /// Number of pieces; the result has fewer if the text yields no more.
  int size = 32000;
  /// Share of the text's characters that get a piece, 0.98 to 1; the others are unknown (or bytes).
  double coverage = 0.9995;
  /// Normalization: nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf (cf: case folded) or identity.
  std::string normalization = "nmt_nfkc";
  /// Whether characters without a piece are spelled as UTF-8 bytes, each a piece.
  bool byte_fallback = false;
  /// Texts that are always a piece of their own. They may contain spaces, written as spaces or as U+2581:
  /// "▁de" matches at the beginning of a word.
  std::vector<std::string> user_symbols;
  /// Maximum numbers of lines and bytes to train on, sampled at random from all of the text. SentencePiece
  /// takes about 27 bytes of memory per byte below 2^27 bytes, 41 above.
  std::int64_t sample_lines = 10'000'000, sample_bytes = 100'000'000;
  /// Number of parts into which SentencePiece divides its work. Sums are taken part by part, so this
  /// determines the last digits of scores: a fixed number gives the same vocabulary on every machine.
  int threads = 16;
  std::uint64_t seed = 1;  // of the sample
  JobContext job = {};
};

struct TrainedVocabulary {
  Vocabulary vocabulary;
  /// Number of lines read.
  std::int64_t lines = 0;
  /// Number of lines that were too long for SentencePiece and therefore split.
  std::int64_t split_lines = 0;
  /// Whether it was trained on a sample of the text.
  bool partial = false;
  /// Pieces per nonempty line, over the first lines of each input (of long lines, their beginning).
  double pieces_per_line = 0;
};

/// Returns the piece of a user symbol in a vocabulary of this type: U+2581 stands for each run of spaces;
/// pieces of type word, which are whole words, begin with one and do not end with one.
std::string piece_of_symbol(std::string_view symbol, const std::string& type);

/// Trains a vocabulary with <unk> 0, <s> 1, </s> 2, in a child process (run_in_child()). The same input and
/// settings give the same bytes. Throws UsageError for settings that no text could satisfy, such as a user
/// symbol that normalization changes. Throws Error for unreadable or empty input, for a size that cannot hold
/// the characters of the text, and if memory is insufficient. Throws Interrupted if the job is asked to stop.
TrainedVocabulary train_vocabulary(const VocabularySettings& settings);

}  // namespace nmt
