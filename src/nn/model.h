// Model: what training, scoring and search ask of a network. They know models only through this page and the
// registry.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graph/operations.h"
#include "nn/input.h"
#include "nn/parameters.h"

namespace nmt {

/// The state of decoding a batch of sentences: one row for each live hypothesis, those of a sentence side by
/// side.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Feeds one token to each live hypothesis. `parents[i]`: the row of the step before that hypothesis i
  /// continues (at first: its sentence's number), rising by sentence; `tokens[i]`: what follows there (at
  /// first: the start). Returns the logits of the next token, [hypotheses, target vocabulary], in memory of
  /// `g`. Sentences without a row have left the batch for good.
  virtual Logits step(Graph& g, const std::vector<std::int32_t>& parents,
                      const std::vector<std::int32_t>& tokens) = 0;

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

  /// Logits of every target row given the source and the target before it: [target rows, target vocabulary].
  virtual Logits logits(Graph& g, const SourceInput& source, const TargetInput& target) const = 0;
  /// Encodes a batch of sentences for decoding. `g` must be in inference; the arena behind it must outlive
  /// the decoder.
  virtual std::unique_ptr<Decoder> decode(Graph& g, const SourceInput& source) const = 0;

  /// Longest sequence the model can take, marks included, when there is a limit.
  virtual std::optional<std::int64_t> max_positions() const { return std::nullopt; }
  /// Throws ModelSettingError when the model asks for one vocabulary for both sides and these are two.
  virtual void check_vocabularies(bool /*shared*/) const {}
  /// Whether the decoder starts with a zero vector rather than with the begin mark.
  virtual bool starts_with_zero() const { return false; }

 protected:
  Model() = default;

 private:
  Parameters parameters_;
};

}  // namespace nmt
