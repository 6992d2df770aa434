// Translator: text to text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/text_reader.h"
#include "nn/saved_model.h"
#include "translate/beam.h"

namespace nmt {

struct TranslatorSettings {
  SearchSettings search;             // n_best is 1
  std::int64_t batch_tokens = 4096;  // most padded source tokens of a batch, end marks counted
};

struct Translation {
  double score = 0;  // see Hypothesis; 0 for an empty line
  std::string text;
};

/// Translates lines in order. A translation depends on its line alone. An empty line (one without any token)
/// becomes an empty line. Lines beyond the positions that a model has are cut, with a warning at the first.
class Translator {
 public:
  /// What has been translated so far. Tokens are those of the vocabularies, end marks not counted.
  struct Counts {
    std::int64_t lines = 0, source_tokens = 0, target_tokens = 0;
  };

  /// `model` lies on `backend`; memory comes from `arena`. All three must outlive the translator.
  Translator(const SavedModel& model, Backend& backend, Arena& arena, const TranslatorSettings& settings)
      : model_(model), backend_(backend), arena_(arena), settings_(settings) {}

  /// Translates lines that are in memory.
  std::vector<Translation> translate(const std::vector<std::string>& lines);
  /// Translates a file, a chunk of lines at a time; `take` gets the translations of each chunk.
  void translate(TextReader& input, const std::function<void(const std::vector<Translation>&)>& take);

  const Counts& counts() const { return counts_; }

 private:
  /// The ids of a line, cut to what the model takes.
  std::vector<int> encode(const std::string& line, std::int64_t line_number);
  std::string decode(const std::vector<std::int32_t>& ids) const;

  const SavedModel& model_;
  Backend& backend_;
  Arena& arena_;
  TranslatorSettings settings_;
  Counts counts_;
  bool warned_ = false;
};

}  // namespace nmt
