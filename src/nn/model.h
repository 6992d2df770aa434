// Model: the interface of networks for training, scoring and search, which know models only through this
// header and the registry.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graph/operations.h"
#include "nn/input.h"
#include "nn/weights/low_rank.h"
#include "nn/weights/training_weights.h"

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

class Model {
 public:
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  /// Allocates memory for training the parameters, on a device that must outlive the model. For inference,
  /// see nn/weights/inference_weights.h.
  TrainingWeights& allocate_for_training(Backend& backend) {
    training_weights_ = std::make_unique<TrainingWeights>(parameters_, backend);
    return *training_weights_;
  }
  /// Instead allocates memory for training updates of low rank, with all parameters frozen.
  LowRankWeights& allocate_for_low_rank(Backend& backend, const LowRankSettings& settings) {
    low_rank_ = std::make_unique<LowRankWeights>(parameters_, backend, settings);
    return *low_rank_;
  }
  bool has_training_weights() const { return training_weights_ != nullptr || low_rank_ != nullptr; }
  /// Returns the weights that training changes, for which one of these functions has allocated memory.
  TrainingWeights& training_weights() {
    assert(has_training_weights());
    return low_rank_ ? low_rank_->weights() : *training_weights_;
  }
  const TrainingWeights& training_weights() const {
    return const_cast<Model*>(this)->training_weights();  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }

  /// Returns the logits of every target row given the source and the preceding target: [target rows, target
  /// vocabulary].
  virtual Logits logits(Graph& g, const SourceInput& source, const TargetInput& target) const = 0;
  /// Returns a decoder with memory of `g`, which must be an inference graph; the arena of `g` must outlive
  /// the decoder.
  virtual std::unique_ptr<Decoder> decoder(Graph& g, const DecoderCapacity& capacity) const = 0;

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

 protected:
  Model() = default;

 private:
  Parameters parameters_;
  std::unique_ptr<TrainingWeights> training_weights_;  // null for inference
  std::unique_ptr<LowRankWeights> low_rank_;           // null unless updates of low rank are trained
};

}  // namespace nmt
