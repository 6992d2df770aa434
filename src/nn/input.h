// A batch as models see it: packed ids on the device, with special tokens added.
#pragma once

#include <cstdint>
#include <vector>

#include "data/example.h"
#include "graph/graph.h"
#include "graph/operations.h"
#include "nn/settings.h"

namespace nmt {

enum class Direction : std::uint8_t {
  left_to_right,
  right_to_left,  // from the last token to the first (Liu et al., 2016; Sennrich et al., 2016)
};

/// Describes the setting `source_direction`.
ModelKey source_direction_key();
/// Describes the setting `target_direction`.
ModelKey target_direction_key();

/// Reads the setting `source_direction`.
Direction source_direction_of(const ModelSettings& settings);
/// Reads the setting `target_direction`.
Direction target_direction_of(const ModelSettings& settings);

/// Rows of sources within the memory of a decoder. Each tensor is written in one operation, however many
/// sentences it covers.
class SourceRows {
 public:
  /// Stores source i, of lengths[i] rows, in the rows from begins[i] on. Sources without a begin are padding,
  /// which is not stored. Takes one transfer to the device.
  SourceRows(const Graph& g, const std::vector<std::int32_t>& lengths, std::vector<std::int32_t> begins);

  /// Writes `all` [rows of all sources, d], one source after another, to `kept` [source rows of the decoder,
  /// d].
  void write(const Tensor& all, const Tensor& kept) const { write(all, rows_, kept); }
  /// Writes `each` [sources, d] to the first row of each source in `kept` [source rows of the decoder, d].
  void write_first(const Tensor& each, const Tensor& kept) const { write(each, begins_, kept); }

 private:
  void write(const Tensor& from, const Tensor& places, const Tensor& to) const;

  Backend& backend_;
  Tensor rows_, begins_;  // i32 [places, 1]
  Tensor zeros_;          // i32 [1, places]: column of each place
};

/// The first input of the decoder.
enum class DecoderStart : std::uint8_t { bos, zero, eos };

/// The special tokens around a source: EOS after it, BOS before it.
enum class SourceSpecialTokens : std::uint8_t { eos, bos, both, none };

/// Returns the number of special tokens on the side that has more of them; a target has one.
constexpr std::int64_t most_special_tokens(SourceSpecialTokens tokens) {
  return tokens == SourceSpecialTokens::both ? 2 : 1;
}

/// The special tokens and directions with which sentences become rows. Ids come from the vocabularies, never
/// from constants.
struct SpecialTokens {
  std::int32_t source_eos = 0;
  std::int32_t target_eos = 0;
  std::int32_t start = -1;       // first decoder input; -1: the zero vector
  std::int32_t source_bos = -1;  // before each source; -1: none
  bool ends_source = true;       // whether EOS follows each source
  bool has_source = true;        // false for language models, which read no source: sources then have no rows

  bool source_reversed = false;  // the encoder reads source ids from last to first
  bool target_reversed = false;  // the decoder reads and predicts target ids from last to first

  bool operator==(const SpecialTokens&) const = default;

  /// Returns the row of a token within its source, which has `ids` tokens without special tokens.
  std::int64_t source_row(std::int64_t token, std::int64_t ids) const {
    return (source_bos < 0 ? 0 : 1) + (source_reversed ? ids - 1 - token : token);
  }
  /// Returns the row of a token within its target, which has `ids` tokens without special tokens.
  std::int64_t target_row(std::int64_t token, std::int64_t ids) const {
    return target_reversed ? ids - 1 - token : token;
  }
  /// Whether EOS follows a source of `ids` tokens. A source that would have no rows always gets EOS.
  bool has_source_eos(std::int64_t ids) const {
    return has_source && (ends_source || (ids == 0 && source_bos < 0));
  }
  /// Returns the number of rows of a source of `ids` tokens.
  std::int64_t source_rows(std::int64_t ids) const {
    if (!has_source) return 0;
    return ids + (source_bos < 0 ? 0 : 1) + (has_source_eos(ids) ? 1 : 0);
  }
};

/// The source input: ids and special tokens (SourceSpecialTokens), by default ids + EOS. A model that reads
/// sources from right to left gets the ids reversed; special tokens stay in place.
struct SourceInput {
  Tensor ids;  // i32 [1, rows]
  Sequences sequences;
  std::vector<std::int32_t> lengths;  // of the sentences, special tokens and padding sentences included
};

/// The target input: start + ids; the labels: ids + EOS. Ids are reversed if the model goes from right to
/// left.
struct TargetInput {
  Tensor ids;     // i32 [1, rows]
  Labels labels;  // with weights if any example has some
  Sequences sequences;
  std::vector<std::int32_t> lengths;  // of the sentences, special tokens and padding sentences included
};

/// The input of both sides of a batch.
struct BatchInput {
  SourceInput source;
  TargetInput target;
};

/// Packs sequences of these lengths one after the other, in one transfer to the device. `keys`: the example
/// ids.
Sequences pack(const Graph& g, const std::vector<std::int32_t>& lengths,
               const std::vector<std::int64_t>& keys);

SourceInput source_input(const Graph& g, const std::vector<Example>& examples,
                         const SpecialTokens& special_tokens);
/// Shapes that are rounded up so that they recur, for backends that ask for it (Backend::row_step); a step of
/// 1 changes nothing. Padding rows, with an id and a label of -1, form sentences of their own at the end, and
/// there are sentences without rows. Return
/// - the number of rows, rounded up to a multiple of an eighth of the next lower power of two, but at most of
///   `step`; from 128 rows on at least of 64, below that of half the power, but at least of 8;
/// - a power of two, for the number of sentences and the length of the longest one, which cost nothing;
/// - that of at least 128 for lengths of sentences, most of which are shorter.
std::int64_t padded_rows(std::int64_t rows, int step);
std::int64_t padded_count(std::int64_t count, int step);
std::int64_t padded_length(std::int64_t longest, int step);

/// Returns the input of sources in a search, in one transfer to the device, with padding.
SourceInput padded_source_input(const Graph& g, const std::vector<Example>& examples,
                                const SpecialTokens& special_tokens);
/// Returns the input of a batch, in one transfer to the device, in training with padding. Padding changes
/// only rounding.
BatchInput batch_input(const Graph& g, const std::vector<Example>& examples,
                       const SpecialTokens& special_tokens);

/// Returns the source rows that are linked to each target row, for a batch in batch_input() of the same
/// examples, in one transfer to the device. Special tokens and padding rows have no links.
AlignmentLinks alignment_links(const Graph& g, const std::vector<Example>& examples,
                               const SpecialTokens& special_tokens);

/// Returns the offsets of consecutive sequences of these lengths, in one transfer to the device.
SequenceOffsets consecutive(const Graph& g, const std::vector<std::int32_t>& lengths);

}  // namespace nmt
