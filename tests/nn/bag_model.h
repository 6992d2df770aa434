// A minimal model that translates: the next word depends on the previous one and on the bag of source words.
// It shows what a second model must provide, and that other code does not depend on the first one.
#pragma once

#include <memory>
#include <vector>

#include "graph/operations.h"
#include "nn/registry.h"

namespace nmt::testing {

/// logits = W (E[previous] + attention(E[previous], source words)) + b, without positions on either side.
class BagModel final : public Model {
 public:
  explicit BagModel(const ModelSettings& settings)
      : width_(integer_setting(settings, "width", 1, 1024)),
        source_(add("source", Role::words, integer_setting(settings, "source_vocabulary", 1, 1024))),
        target_(add("target", Role::words, target_rows(settings))),
        origin_(parameters().add("origin", ParameterSpec::position_table(1, width_, Initializer::zeros))),
        key_value_(add("key_value", Role::matrix, 2 * width_)),
        output_(add("output", Role::output, target_rows(settings))),
        bias_(parameters().add("bias", ParameterSpec::vector(target_rows(settings)))) {}

  Logits logits(Graph& g, const SourceInput& source, const TargetInput& target) const override {
    return predict(g, words(g, source), target.ids, target.sequences, source.sequences.offsets);
  }

  std::unique_ptr<Decoder> decoder(Graph& g, const DecoderCapacity& capacity) const override {
    return std::make_unique<BagDecoder>(*this, g.allocate(capacity.source_rows, 2 * width_));
  }
  std::int64_t target_vocabulary() const override { return target_.value.rows(); }

 private:
  /// Stores only the source words.
  class BagDecoder final : public Decoder {
   public:
    BagDecoder(const BagModel& model, Tensor words) : model_(model), words_(std::move(words)) {}

    void encode(Graph& g, const SourceInput& source, const std::vector<std::int32_t>& begins) override {
      const Tensor words = model_.words(g, source).value;
      std::int64_t first = 0;
      for (std::size_t i = 0; i < begins.size(); ++i) {
        const std::int32_t rows = source.lengths[i];
        g.backend().copy(words_.slice_rows(begins[i], rows), words.slice_rows(first, rows));
        first += rows;
      }
    }

    Logits step(Graph& g, const DecodingStep& step) override {
      return model_.predict(g, g.variable(words_), step.tokens, step.hypotheses, step.sources);
    }

   private:
    const BagModel& model_;
    Tensor words_;
  };

  Parameter& add(const std::string& name, Role role, std::int64_t rows) {
    return parameters().add(name, {role, rows, width_, Initializer::normal});
  }
  static std::int64_t target_rows(const ModelSettings& settings) {
    return integer_setting(settings, "target_vocabulary", 1, 1024);
  }

  Var embed(Graph& g, const Parameter& table, const Tensor& ids, Sequences sequences) const {
    sequences.positions =
        g.upload(std::vector<std::int32_t>(static_cast<std::size_t>(sequences.rows), 0), 1, sequences.rows);
    return embedding(g, table, ids, sequences, origin_, 1);
  }
  Var words(Graph& g, const SourceInput& source) const {
    return linear(g, embed(g, source_, source.ids, source.sequences), key_value_, {});
  }
  Logits predict(Graph& g, const Var& words, const Tensor& ids, const Sequences& queries,
                 const SequenceOffsets& keys) const {
    const Var previous = embed(g, target_, ids, queries);
    const Var bag = cross_attention(g, previous, words, queries, keys, {1});
    return {residual(g, previous, bag, queries), output_, bias_};
  }

  std::int64_t width_;
  const Parameter& source_;
  const Parameter& target_;
  const Parameter& origin_;  // the position that all words share
  const Parameter& key_value_;
  const Parameter& output_;
  const Parameter& bias_;
};

/// Returns the model type for configurations.
inline ModelType bag_model() {
  return {"bag",
          {{"width", "8", "of all layers"}, {"source_vocabulary", "", ""}, {"target_vocabulary", "", ""}},
          [](const ModelSettings& settings) { return std::make_unique<BagModel>(settings); },
          "width"};
}

}  // namespace nmt::testing
