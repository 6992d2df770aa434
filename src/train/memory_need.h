// What a run of training takes, found before its first update by a dry one over shapes.
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
#include "translate/search/strategy.h"

namespace nmt {

/// What memory depends on.
struct RunShape {
  ModelSettings model;
  DropoutRates dropout;
  bool average = false;                       // whether a moving average of the weights is kept
  int ranks = 1;                              // of the run
  bool shard_optimizer = true;                // whether they divide moments and masters
  double guided_alignment_weight = 0;         // see LossSettings
  double r_drop = 0;                          // the same
  bool quantization_aware = false;            // see TrainingWeights::read_as_int8()
  std::int64_t max_length = 1;                // of a sentence, in tokens, at most; positive
  std::int64_t batch_tokens = 0;              // of an update, at most
  int samples = 0;                            // drawn for each sentence before each update; see RiskSampler
  std::optional<SearchSettings> translation;  // of validation; none: it does not translate
  std::vector<std::int64_t> lengths;          // tokens of the sentences that it translates, EOS included
  std::size_t pairs = 0;                      // bytes_of_pairs()
};

/// Bytes at the peak, by what takes them.
struct MemoryNeed {
  std::size_t present = 0;       // weights and gradients before anything is divided among ranks
  std::size_t weights = 0;       // and their gradients, afterwards
  std::size_t optimizer = 0;     // two moments; the moving average and its spare
  std::size_t packed = 0;        // what the backend derives for its products
  std::size_t activations = 0;   // of the micro-batches that are computed at the same time
  std::size_t accumulation = 0;  // buffers of gradients, where there are several shards
  std::size_t pairs = 0;         // of the corpus: those of this pool and the next
  std::size_t translation = 0;   // of validation, in the same memory, on top of the activations
  std::size_t saving = 0;        // a copy of the largest matrix

  std::size_t all() const;
  /// What is still to be taken when the weights and their gradients are there.
  std::size_t to_come() const { return std::max(all(), present) - present; }
  /// The same run with a validation that does not translate.
  MemoryNeed without_translation() const;
  /// Its parts in MiB, for people.
  std::string text() const;
};

/// Bytes of the weights and gradients of a model on `backend`, before anything is divided among ranks.
std::size_t bytes_of_weights(const ModelSettings& model, const Backend& backend);

/// What a run on `backend` needs with updates in parts of `micro_batch_tokens` source and target tokens.
/// Nothing is computed. Of what validation translates, the longest and the shortest sentences count, with all
/// translations as long as the settings allow.
MemoryNeed memory_need(const RunShape& shape, Backend& backend, std::int64_t micro_batch_tokens);

/// The largest of batch_tokens, batch_tokens / 2, batch_tokens / 4 ... with which what is to come takes no
/// more than nine tenths of `free_bytes`; at least one sentence of the longest. Where validation alone is too
/// much, it does not count: it translates fewer sentences at a time then. `log` hears what was tried, from
/// the smallest on, so that nothing is much larger than what fits.
std::int64_t micro_batch_that_fits(const RunShape& shape, Backend& backend, std::size_t free_bytes,
                                   std::int64_t batch_tokens, Log& log = silent_log());

/// Throws Error, which tells what to lower, when what is to come is more than `free_bytes` even without
/// validation. `width`: the setting for the width of such models.
void refuse_too_large(const MemoryNeed& need, std::size_t free_bytes, const std::string& width);

/// Padded tokens of a side that an update on a corpus can have at most, when it takes `delay` batches of
/// `batch_tokens`.
std::int64_t most_tokens_of_update(const Corpus& corpus, std::int64_t batch_tokens, std::int64_t delay);

/// Bytes of the pairs of a corpus that a run holds at a time, judged by a sample of them.
std::size_t bytes_of_pairs(const Corpus& corpus);

}  // namespace nmt
