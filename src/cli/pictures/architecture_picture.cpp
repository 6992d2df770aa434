// Draws figure 1 of the paper for a model.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "cli/pictures/paper_pictures.h"
#include "cli/pictures/tower.h"
#include "common/text/number.h"
#include "pictures/svg.h"

namespace nmt {
namespace {

const char* source_text(SourceSpecialTokens tokens) {
  switch (tokens) {
    case SourceSpecialTokens::bos:
      return "BOS, then tokens";
    case SourceSpecialTokens::both:
      return "BOS, tokens, EOS";
    case SourceSpecialTokens::none:
      return "tokens";
    case SourceSpecialTokens::eos:
      break;
  }
  return "tokens, then EOS";
}

const char* activation_text(Activation activation) {
  switch (activation) {
    case Activation::gelu:
      return "GELU";
    case Activation::gelu_tanh:
      return "GELU (tanh)";
    case Activation::gelu_sigmoid:
      return "GELU (sigmoid)";
    case Activation::swish:
      return "Swish";
    default:
      return "ReLU";
  }
}

std::string positions_text(const TransformerConfig& config) {
  const auto kind = [&]() -> std::string {
    switch (config.positions) {
      case Positions::sinusoidal_halves:
        return "sines, then cosines";
      case Positions::tensor2tensor:
        return "of Tensor2Tensor";
      case Positions::learned:
        return "learned, " + grouped(config.max_positions);
      case Positions::none:
      case Positions::sinusoidal:
        break;
    }
    return "sinusoids";
  };
  return kind() + (config.position_offset > 0 ? fmt::format(", from {}", config.position_offset) : "");
}

/// Draws the figure of a configuration from its bottom up.
class Figure {
 public:
  Figure(Svg& svg, const TransformerConfig& config, bool has_vocabularies)
      : svg_(svg), config_(config), has_vocabularies_(has_vocabularies) {}

  /// Returns the height of the figure.
  double draw(double bottom) {
    Tower encoder(svg_, {kEncoderX, bottom}, -1), decoder(svg_, {kDecoderX, bottom}, 1);
    encoder.text("Source", source_text(config_.source_special_tokens));
    encoder.box("Source embedding", table(config_.source_vocabulary), kEmbeddingColour);
    add_positions(encoder);
    encoder.repeated(config_.encoder_layers, [&] {
      self_attention(encoder, "Self-attention");
      feed_forward(encoder, config_.encoder_feed_forward);
    });
    if (config_.final_norm) encoder.box("Norm", "", kNormColour);

    decoder.text("Target, shifted right", start_text(config_.decoder_start));
    decoder.box("Target embedding", table(config_.target_vocabulary), kEmbeddingColour);
    add_positions(decoder);
    Point memory;
    decoder.repeated(config_.decoder_layers, [&] { memory = decoder_layer(decoder); });
    if (config_.final_norm) decoder.box("Norm", "", kNormColour);
    return finish_towers(svg_, encoder, decoder, table(config_.target_vocabulary, true), memory, "K, V");
  }

 private:
  std::string table(std::int64_t vocabulary, bool is_output = false) const {
    return table_text(has_vocabularies_ ? std::optional(vocabulary) : std::nullopt, config_.d_model,
                      is_output);
  }

  void add_positions(Tower& tower) const {
    if (config_.positions != Positions::none)
      tower.add_positions("Positional encoding", positions_text(config_));
    if (config_.embedding_norm) tower.box("Norm", "", kNormColour);
  }

  /// Draws a sublayer with the residual connection around it, and the normalization where the model has it.
  void sublayer(Tower& tower, const std::function<void()>& draw) {
    tower.with_residual([&] {
      if (config_.has_pre_norm()) tower.box("Norm", "", kNormColour);
      draw();
      add(tower);
    });
  }

  void add(Tower& tower) { tower.box(config_.has_post_norm() ? "Add & Norm" : "Add", "", kNormColour); }

  void self_attention(Tower& tower, const std::string& name) {
    sublayer(tower, [&] {
      tower.split();
      tower.box(name, heads(), kAttentionColour);
    });
  }

  void feed_forward(Tower& tower, const FeedForwardSize& size) {
    sublayer(tower, [&] { network(tower, size, size.layers); });
  }

  void network(Tower& tower, const FeedForwardSize& size, std::int64_t matrices) {
    std::string name = "Feed-forward", detail;
    if (matrices != 2) name += fmt::format(", {} {}", matrices, matrices == 1 ? "matrix" : "matrices");
    if (size.layers > 1)
      detail = fmt::format("{} wide, {}", grouped(size.d_ff), activation_text(config_.activation));
    tower.box(name, detail, kFeedForwardColour);
  }

  void average(Tower& tower) {
    const FeedForwardSize& size = config_.average_feed_forward;
    tower.with_residual([&] {
      tower.box("Average so far", "", kAttentionColour);
      if (config_.has_pre_norm()) tower.box("Norm", "", kNormColour);
      if (size.layers > 1) network(tower, size, size.layers - (config_.has_average_output() ? 0 : 1));
      if (config_.average_gate) tower.box("Gates", "of token and average", kAttentionColour);
      add(tower);
    });
  }

  void ssru(Tower& tower) {
    sublayer(tower, [&] {
      tower.box("Recurrent unit", "SSRU", kAttentionColour);
      if (config_.ssru_projection) tower.box("Linear", "", kLinearColour);
    });
  }

  /// Draws the sublayer by which a target token sees those before it.
  void causal_sublayer(Tower& tower) {
    switch (config_.decoder_layer) {
      case DecoderLayerKind::average:
        return average(tower);
      case DecoderLayerKind::ssru:
        return ssru(tower);
      case DecoderLayerKind::attention:
        return self_attention(tower, "Masked self-attention");
    }
  }

  std::string heads() const {
    return fmt::format("{} of {}", count_of(config_.heads, "head"), config_.d_model / config_.heads);
  }

  /// Returns where the keys and values of the encoder enter.
  Point decoder_layer(Tower& tower) {
    Point memory;
    causal_sublayer(tower);
    sublayer(tower, [&] {
      tower.box("Attention over the source", heads(), kAttentionColour);
      memory = tower.left_of_box();
    });
    feed_forward(tower, config_.decoder_feed_forward);
    return memory;
  }

  Svg& svg_;
  const TransformerConfig& config_;
  bool has_vocabularies_;
};

/// Returns what the figure does not show, as lines of text.
std::vector<std::string> notes_of(const PlottedModel& model, const TransformerConfig& config) {
  std::vector<std::string> notes = {tying_text(config.tying)};
  if (config.norm_kind == NormKind::rms)
    notes.emplace_back("Norm divides by the root mean square (RMSNorm).");
  if (!config.output_bias) notes.emplace_back("The linear layer has no bias.");
  if (const std::string scale = text_setting(model.settings, "embedding_scale"); scale != "sqrt")
    notes.push_back(fmt::format("Embeddings are multiplied by {}.", scale));
  if (const std::string sets = text_setting(model.settings, "tied_decoder_layers"); sets != "none")
    std::ranges::move(wrapped(fmt::format("Sets of weights of the layers of the decoder: {}.", sets),
                              kFigureWidth - 2 * kEdge),
                      std::back_inserter(notes));
  return notes;
}

}  // namespace

std::string architecture_picture(const PlottedModel& model) {
  if (model.is_recurrent()) return recurrent_picture(model);
  const TransformerConfig config = model.config();
  const bool has_vocabularies = model.settings.contains("source_vocabulary");
  const FigureText text{model.name, fmt::format("d_model {}", grouped(config.d_model)), model.weights,
                        notes_of(model, config)};
  return figure_page(
      text, [&](Svg& svg, double bottom) { return Figure(svg, config, has_vocabularies).draw(bottom); });
}

}  // namespace nmt
