// Predicts the memory use of a training run by a dry run over shapes before the first update.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/log/log.h"
#include "data/corpus.h"
#include "graph/graph.h"
#include "nn/registry.h"
#include "tensor/backend.h"
#include "translate/search/search_settings.h"

namespace nmt {

/// The properties of a run that determine its memory use.
struct RunShape {
  ModelSettings model;
  DropoutRates dropout;
  std::optional<LowRankSettings> low_rank;    // of updates; none: all weights are trained
  std::string optimizer = "adam";             // one of optimizer_names()
  bool average = false;                       // whether a moving average of the weights is kept
  int ranks = 1;                              // number of ranks of the run
  bool shard_optimizer = true;                // whether ranks divide moments and masters
  double guided_alignment_weight = 0;         // see LossSettings
  double r_drop = 0, simcut = 0;              // see LossSettings
  bool recompute_activations = false;         // see LossSettings
  bool quantization_aware = false;            // see TrainingWeights::read_as_int8()
  std::int64_t max_length = 1;                // maximum tokens of a sentence; positive
  std::int64_t batch_tokens = 0;              // maximum tokens of an update
  int samples = 0;                            // samples per sentence in each update; see RiskSampler
  std::optional<SearchSettings> translation;  // of validation; none: it does not translate
  std::vector<std::int64_t> lengths;          // tokens of the sentences to translate, EOS included
  std::size_t pairs = 0;                      // bytes_of_pairs()
};

/// Bytes at the peak, by purpose.
struct MemoryNeed {
  std::size_t present = 0;       // weights and gradients before anything is divided among ranks
  std::size_t weights = 0;       // weights and gradients afterwards
  std::size_t optimizer = 0;     // its moments; the moving average and its spare
  std::size_t packed = 0;        // forms of weights that the backend derives for its products
  std::size_t activations = 0;   // of the micro-batches computed at the same time
  std::size_t accumulation = 0;  // gradient buffers, if there are several shards
  std::size_t pairs = 0;         // pairs of the corpus in the current and the next pool
  std::size_t translation = 0;   // of validation, in addition to the activations
  std::size_t saving = 0;        // a copy of the largest matrix

  std::size_t all() const;
  /// Returns the bytes still to be allocated once the weights and their gradients exist.
  std::size_t to_come() const { return std::max(all(), present) - present; }
  /// Returns the memory need of the same run with validations that do not translate.
  MemoryNeed without_translation() const;
  /// A part of the need with its name for people.
  struct Part {
    std::string name;
    std::size_t mebibytes;
  };
  /// Returns the parts of at least one MiB.
  std::vector<Part> parts() const;
  /// Returns these parts in one line.
  std::string text() const;
};

/// Returns the bytes of the weights and gradients of a network on `backend`, before anything is divided among
/// ranks. `low_rank`: as RunShape::low_rank.
std::size_t bytes_of_weights(const ModelSettings& model, const Backend& backend,
                             const std::optional<LowRankSettings>& low_rank = std::nullopt);

/// Returns the memory need of a run on `backend` with updates in parts of `micro_batch_tokens` source and
/// target tokens, without computing anything. Of the sentences that validation translates, the longest and
/// the shortest count, with all translations as long as the settings allow.
MemoryNeed memory_need(const RunShape& shape, Backend& backend, std::int64_t micro_batch_tokens);

/// Returns the largest of batch_tokens, batch_tokens / 2, batch_tokens / 4 ... whose memory still to be
/// allocated fits into nine tenths of `free_bytes`; at least one sentence of maximum length. If validation
/// alone needs too much, it is ignored, because it then translates fewer sentences at a time. Attempts are
/// logged to `log`, smallest first, so that the largest attempt is not much larger than the result.
std::int64_t micro_batch_that_fits(const RunShape& shape, Backend& backend, std::size_t free_bytes,
                                   std::int64_t batch_tokens, Log& log = silent_log());

/// Throws Error, which says what to lower, if the memory still to be allocated exceeds `free_bytes` even
/// without translations in validation. `width`: the name of the setting for the width of such models.
void refuse_too_large(const MemoryNeed& need, std::size_t free_bytes, const std::string& width);

/// Returns the maximum padded tokens per side of an update on a corpus, with `delay` batches of
/// `batch_tokens` per update.
std::int64_t most_tokens_of_update(const Corpus& corpus, std::int64_t batch_tokens, std::int64_t delay);

/// Returns the estimated bytes of the corpus pairs that a run holds at a time, based on a sample.
std::size_t bytes_of_pairs(const Corpus& corpus);

}  // namespace nmt
