// Model: what training, scoring and search ask of a network. They know models only through this page and the
// registry.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graph/operations.h"
#include "nn/direction.h"
#include "nn/input.h"
#include "nn/weights/training_weights.h"

namespace nmt {

/// The capacity of a decoder: rows that it has memory for.
struct DecoderCapacity {
  std::int64_t source_rows = 0;  // tokens of sources, special ones included
  std::int64_t cache_rows = 0;   // tokens of hypotheses; those that have a beginning in common share it

  bool operator==(const DecoderCapacity&) const = default;
};

/// What a decoder has to know for a step: a row for each hypothesis, those of a sentence side by side.
struct DecodingStep {
  Sequences hypotheses;     // the rows of each sentence; the place of each in its hypothesis; no keys
  SequenceOffsets sources;  // the source rows of each of these sentences
  Tensor tokens;            // i32 [1, rows]: what each hypothesis goes on with
  Tensor index;             // i32 [rows, longest]: its rows of the cache; see CachedAttention
};

/// Decodes sentences that come and go. Who calls it says in which of its rows they lie.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Encodes sentences; source i takes the source rows from begins[i] on.
  virtual void encode(Graph& g, const SourceInput& source, const std::vector<std::int32_t>& begins) = 0;
  /// Feeds one token to each hypothesis. Returns the logits of the next one, [rows, target vocabulary], in
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
  /// Gives the parameters memory to be trained in, on a device that must outlive the model. For inference,
  /// see nn/weights/inference_weights.h.
  TrainingWeights& allocate_for_training(Backend& backend) {
    training_weights_ = std::make_unique<TrainingWeights>(parameters_, backend);
    return *training_weights_;
  }
  bool has_training_weights() const { return training_weights_ != nullptr; }
  /// That memory, where it was asked for.
  TrainingWeights& training_weights() {
    assert(training_weights_);
    return *training_weights_;
  }
  const TrainingWeights& training_weights() const {
    assert(training_weights_);
    return *training_weights_;
  }

  /// Logits of every target row given the source and the target before it: [target rows, target vocabulary].
  virtual Logits logits(Graph& g, const SourceInput& source, const TargetInput& target) const = 0;
  /// A decoder with memory of `g`, which must be in inference; the arena behind it must outlive the decoder.
  virtual std::unique_ptr<Decoder> decoder(Graph& g, const DecoderCapacity& capacity) const = 0;

  /// Whether it translates a source; a language model reads targets alone.
  virtual bool has_source() const { return true; }
  /// Longest sequence the model can take, special tokens included, when there is a limit.
  virtual std::optional<std::int64_t> max_positions() const { return std::nullopt; }
  /// Throws ModelSettingError when the model asks for one vocabulary for both sides and these are two.
  virtual void check_vocabularies(bool /*shared*/) const {}
  /// Attentions over the source that logits() computes, layer by layer, if a loss can be taken of their
  /// weights (guided_alignment).
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
};

}  // namespace nmt
