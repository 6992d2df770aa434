// A batch as a model sees it: packed ids on the device, with the special tokens added.
#pragma once

#include <cstdint>
#include <vector>

#include "data/example.h"
#include "graph/operations.h"

namespace nmt {

/// What the decoder's input starts with.
enum class DecoderStart : std::uint8_t { bos, zero, eos };

/// The special tokens around a source: EOS behind it, BOS in front of it.
enum class SourceSpecialTokens : std::uint8_t { eos, bos, both, none };

/// How many special tokens the longer side has for the same ids; a target has one.
constexpr std::int64_t most_special_tokens(SourceSpecialTokens tokens) {
  return tokens == SourceSpecialTokens::both ? 2 : 1;
}

/// How a sentence becomes rows: the ids that frame it, and its direction. Ids come from the vocabularies,
/// never from constants.
struct SpecialTokens {
  std::int32_t source_eos = 0;
  std::int32_t target_eos = 0;
  std::int32_t start = -1;       // first decoder input; -1: the zero vector
  std::int32_t source_bos = -1;  // in front of a source; -1: nothing
  bool ends_source = true;       // EOS is behind each source
  bool has_source = true;        // else sources have no rows, whatever they are: a language model reads none

  bool source_reversed = false;  // the encoder reads the ids of a source from the last to the first
  bool target_reversed = false;  // the decoder reads and predicts the ids of a target likewise

  bool operator==(const SpecialTokens&) const = default;

  /// The row of a token among the rows of its source, which has `ids` tokens without special ones.
  std::int64_t source_row(std::int64_t token, std::int64_t ids) const {
    return (source_bos < 0 ? 0 : 1) + (source_reversed ? ids - 1 - token : token);
  }
  /// The row of a token among the rows of its target, which has `ids` tokens without special ones.
  std::int64_t target_row(std::int64_t token, std::int64_t ids) const {
    return target_reversed ? ids - 1 - token : token;
  }
  /// Whether EOS is behind a source of so many ids. One that would have no rows has it in any case.
  bool has_source_eos(std::int64_t ids) const {
    return has_source && (ends_source || (ids == 0 && source_bos < 0));
  }
  /// Rows of a source of so many ids.
  std::int64_t source_rows(std::int64_t ids) const {
    if (!has_source) return 0;
    return ids + (source_bos < 0 ? 0 : 1) + (has_source_eos(ids) ? 1 : 0);
  }
};

/// Source = ids with what is around them (SourceSpecialTokens): ids + EOS as a rule. A model that reads
/// sources from right to left gets the ids reversed; special tokens stay in their places.
struct SourceInput {
  Tensor ids;  // i32 [1, rows]
  Sequences sequences;
  std::vector<std::int32_t>
      lengths;  // of the sentences, special tokens included, and of those that stand for nothing
};

/// Decoder input = start + ids; labels = ids + EOS; the ids reversed where a model goes from right to left.
struct TargetInput {
  Tensor ids;     // i32 [1, rows]
  Labels labels;  // with weights where an example has some
  Sequences sequences;
  std::vector<std::int32_t> lengths;  // as those of a source
};

/// Both sides of a batch.
struct BatchInput {
  SourceInput source;
  TargetInput target;
};

/// All that follow take one transfer to the device.

/// Packs sequences of these lengths, one after the other. `keys`: the example ids.
Sequences pack(const Graph& g, const std::vector<std::int32_t>& lengths,
               const std::vector<std::int64_t>& keys);

SourceInput source_input(const Graph& g, const std::vector<Example>& examples,
                         const SpecialTokens& special_tokens);
/// In training, where the backend asks for it (Backend::row_step), shapes are rounded up to those of a
/// bucket, so that they come again: rows that stand for nothing, with an id and a label of -1, in sentences
/// of their own at the end, and sentences without rows; and the longest sentence counts as at least 128, or a
/// power of two above. They change nothing but rounding.
BatchInput batch_input(const Graph& g, const std::vector<Example>& examples,
                       const SpecialTokens& special_tokens);

/// The rows of sources that belong to each row of a target by the links of the examples, for a batch in
/// batch_input() of the same examples; none for special tokens and rows that stand for nothing.
AlignmentLinks alignment_links(const Graph& g, const std::vector<Example>& examples,
                               const SpecialTokens& special_tokens);

/// Consecutive sequences of these lengths.
SequenceOffsets consecutive(const Graph& g, const std::vector<std::int32_t>& lengths);

}  // namespace nmt
