// Validation: how well a model does on text that it was not trained on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/parallel_text.h"
#include "optim/update.h"
#include "translate/translator.h"

namespace nmt {

/// A validation text, which is small enough to lie in memory.
struct ValidationText {
  std::vector<Batch> batches;                    // the pairs that the filter keeps
  std::vector<std::string> sources, references;  // all lines
};

/// Encodes a text. Throws Error when no pair is left of it.
ValidationText validation_text(const ParallelText& text, const Encoding& encoding, std::int64_t batch_tokens);

struct Validation {
  LossSum loss;
  std::vector<std::string> translations;  // of all lines; empty when they were not asked for
  std::optional<double> bleu;             // of the translations
};

class Validator {
 public:
  /// `translation`: the settings of the search; none: no translations. All references must outlive this.
  Validator(ValidationText text, const SavedModel& model, Backend& backend, Arena& arena, Update& update,
            std::optional<SearchSettings> translation);

  /// Computes the loss and, where asked for, translates every line once and measures BLEU (13a, cased).
  Validation operator()();

 private:
  ValidationText text_;
  const SavedModel& model_;
  Backend& backend_;
  Arena& arena_;
  Update& update_;
  std::optional<SearchSettings> translation_;
};

}  // namespace nmt
