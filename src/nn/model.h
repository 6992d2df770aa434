// Model: the interface of networks for training, scoring and search, which know models only through this
// header and the registry.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graph/operations.h"
#include "nn/input.h"
#include "nn/network.h"

namespace nmt {

/// The capacity of a decoder: the numbers of rows for which it has memory.
struct DecoderCapacity {
  std::int64_t source_rows = 0;  // source tokens, special tokens included
  std::int64_t cache_rows = 0;   // hypothesis tokens; hypotheses share the tokens of a common prefix

  bool operator==(const DecoderCapacity&) const = default;
};

/// The input of one decoding step: one row per hypothesis, with the hypotheses of a sentence adjacent.
struct DecodingStep {
  Sequences hypotheses;     // rows of each sentence; position of each row in its hypothesis; no keys
  SequenceOffsets sources;  // source rows of each of these sentences
  Tensor tokens;            // i32 [1, rows]: the next input token of each hypothesis
  Tensor index;             // i32 [rows, longest]: cache rows of each hypothesis; see CachedAttention
};

/// Decodes sentences that come and go. The caller chooses the rows in which each sentence is stored.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Encodes sentences; source i is stored in the source rows from begins[i] on.
  virtual void encode(Graph& g, const SourceInput& source, const std::vector<std::int32_t>& begins) = 0;
  /// Feeds one token to each hypothesis. Returns the logits of the next token, [rows, target vocabulary], in
  /// memory of `g`.
  virtual Logits step(Graph& g, const DecodingStep& step) = 0;

 protected:
  Decoder() = default;
  Decoder(const Decoder&) = default;
  Decoder& operator=(const Decoder&) = default;
};

/// A network that translates, or models text.
class Model : public Network {
 public:
  /// Returns the logits of every target row given the source and the preceding target: [target rows, target
  /// vocabulary].
  virtual Logits logits(Graph& g, const SourceInput& source, const TargetInput& target) const = 0;
  /// Returns a decoder with memory of `g`, which must be an inference graph; the arena of `g` must outlive
  /// the decoder.
  virtual std::unique_ptr<Decoder> decoder(Graph& g, const DecoderCapacity& capacity) const = 0;

  /// Returns the number of logits of a token.
  virtual std::int64_t target_vocabulary() const = 0;
  /// Whether the model translates a source; a language model reads targets only.
  virtual bool has_source() const { return true; }
  /// Returns the length of the longest sequence that the model accepts, special tokens included, if there is
  /// a limit.
  virtual std::optional<std::int64_t> max_positions() const { return std::nullopt; }
  /// Throws ModelSettingError if the model needs one vocabulary for both sides but `shared` is false.
  virtual void check_vocabularies(bool /*shared*/) const {}
  /// Returns the number of cross-attentions that logits() computes, layer by layer, if a loss can be taken of
  /// their weights (guided_alignment); else 0.
  virtual int cross_attentions() const { return 0; }
  virtual Direction source_direction() const { return Direction::left_to_right; }
  virtual Direction target_direction() const { return Direction::left_to_right; }
  virtual DecoderStart decoder_start() const { return DecoderStart::bos; }
  virtual SourceSpecialTokens source_special_tokens() const { return SourceSpecialTokens::eos; }
};

}  // namespace nmt
