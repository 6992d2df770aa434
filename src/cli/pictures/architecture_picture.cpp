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
      case Positions::rotary:
      case Positions::relative:
      case Positions::shaw:
      case Positions::alibi:
      case Positions::none:
      case Positions::sinusoidal:
        break;
    }
    return "sinusoids";
  };
  return kind() + (config.position_offset > 0 ? fmt::format(", from {}", config.position_offset) : "");
}

/// Returns the positions that self-attention itself has, as a remark.
std::string attention_positions(Positions kind) {
  if (kind == Positions::rotary) return ", rotary";
  if (kind == Positions::relative || kind == Positions::shaw) return ", relative positions";
  return kind == Positions::alibi ? ", ALiBi" : "";
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
    encoder.box("Source embedding", table(config_.source_vocabulary), kEmbeddingColor);
    add_positions(encoder);
    encoder.repeated(config_.encoder_layers, [&] {
      self_attention(encoder, "Self-attention");
      feed_forward(encoder, config_.encoder_feed_forward);
    });
    if (config_.final_norm) encoder.box("Norm", "", kNormColor);

    decoder.text("Target, shifted right", start_text(config_.decoder_start));
    decoder.box("Target embedding", table(config_.target_vocabulary), kEmbeddingColor);
    add_positions(decoder);
    Point memory;
    decoder.repeated(config_.decoder_layers, [&] { memory = decoder_layer(decoder); });
    if (config_.final_norm) decoder.box("Norm", "", kNormColor);
    return finish_towers(svg_, encoder, decoder, table(config_.target_vocabulary, true), memory, "K, V");
  }

 private:
  std::string table(std::int64_t vocabulary, bool is_output = false) const {
    return table_text(has_vocabularies_ ? std::optional(vocabulary) : std::nullopt, config_.d_model,
                      is_output);
  }

  void add_positions(Tower& tower) const {
    if (are_added(config_.positions)) tower.add_positions("Positional encoding", positions_text(config_));
    if (config_.embedding_norm) tower.box("Norm", "", kNormColor);
  }

  /// Draws a sublayer with the residual connection around it, and the normalization where the model has it.
  void sublayer(Tower& tower, const std::function<void()>& draw) {
    tower.with_residual([&] {
      if (config_.has_pre_norm()) tower.box("Norm", "", kNormColor);
      draw();
      add(tower);
    });
  }

  void add(Tower& tower) { tower.box(config_.has_post_norm() ? "Add & Norm" : "Add", "", kNormColor); }

  void self_attention(Tower& tower, const std::string& name) {
    sublayer(tower, [&] {
      tower.split();
      tower.box(name, heads() + attention_positions(config_.positions), kAttentionColor);
    });
  }

  void feed_forward(Tower& tower, const FeedForwardSize& size) {
    sublayer(tower, [&] { network(tower, size, size.layers); });
  }

  void network(Tower& tower, const FeedForwardSize& size, std::int64_t matrices) {
    std::string name = size.is_gated ? "Gated feed-forward" : "Feed-forward", detail;
    if (matrices != 2) name += fmt::format(", {} {}", matrices, matrices == 1 ? "matrix" : "matrices");
    if (size.layers > 1)
      detail = fmt::format("{} wide, {}", grouped(size.d_ff), activation_text(config_.activation));
    tower.box(name, detail, kFeedForwardColor);
  }

  void average(Tower& tower) {
    const FeedForwardSize& size = config_.average_feed_forward;
    tower.with_residual([&] {
      tower.box("Average so far", "", kAttentionColor);
      if (config_.has_pre_norm()) tower.box("Norm", "", kNormColor);
      if (size.layers > 1) network(tower, size, size.layers - (config_.has_average_output() ? 0 : 1));
      if (config_.average_gate) tower.box("Gates", "of token and average", kAttentionColor);
      add(tower);
    });
  }

  void ssru(Tower& tower) {
    sublayer(tower, [&] {
      tower.box("Recurrent unit", "SSRU", kAttentionColor);
      if (config_.ssru_projection) tower.box("Linear", "", kLinearColor);
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
    const std::string all = fmt::format("{} of {}", count_of(config_.heads, "head"), config_.head_size);
    return config_.kv_heads == config_.heads ? all : fmt::format("{}, {} of keys", all, config_.kv_heads);
  }

  /// Returns where the keys and values of the encoder enter.
  Point decoder_layer(Tower& tower) {
    Point memory;
    causal_sublayer(tower);
    sublayer(tower, [&] {
      tower.box("Attention over the source", heads(), kAttentionColor);
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

namespace {

std::string cell_text(RecurrentCell cell) {
  return cell == RecurrentCell::gru ? "GRU" : "LSTM";
}

const char* score_text(AlignmentScore score) {
  switch (score) {
    case AlignmentScore::dot:
      return "dot";
    case AlignmentScore::general:
      return "general";
    case AlignmentScore::concat:
      return "concat";
    case AlignmentScore::additive:
      break;
  }
  return "additive";
}

/// Draws the figure of a configuration from its bottom up.
class RecurrentFigure {
 public:
  RecurrentFigure(Svg& svg, const RecurrentConfig& config, bool has_vocabularies)
      : svg_(svg), config_(config), has_vocabularies_(has_vocabularies) {}

  /// Returns the height of the figure.
  double draw(double bottom) {
    Tower encoder(svg_, {kEncoderX, bottom}, -1), decoder(svg_, {kDecoderX, bottom}, 1);
    encoder.text("Source", config_.source_direction == Direction::right_to_left
                               ? "from right to left, then EOS"
                               : "tokens, then EOS");
    encoder.box("Source embedding", table(config_.source_vocabulary), kEmbeddingColor);
    encoder_layers(encoder);
    decoder.text("Target, shifted right", start_text(config_.decoder_start));
    decoder.box("Target embedding", table(config_.target_vocabulary), kEmbeddingColor);
    const Point memory =
        config_.attention == AlignmentScore::additive ? conditional_layers(decoder) : plain_layers(decoder);
    return finish_towers(svg_, encoder, decoder, table(config_.target_vocabulary, true), memory,
                         "annotations");
  }

 private:
  std::string table(std::int64_t vocabulary, bool is_output = false) const {
    return table_text(has_vocabularies_ ? std::optional(vocabulary) : std::nullopt, config_.d_embedding,
                      is_output);
  }

  /// Draws the layers of a stack, of which all but the first may have a residual connection.
  void layers(Tower& tower, std::int64_t count, const std::function<void()>& draw, bool may_skip = true) {
    if (count == 0) return;
    tower.repeated(count, [&] {
      if (!config_.skip_connections || !may_skip) return draw();
      tower.with_residual([&] {
        draw();
        tower.box("Add", "", kNormColor);
      });
    });
  }

  void cells(Tower& tower, const std::string& name, std::int64_t depth, const std::string& width) {
    std::string detail = fmt::format("states of {}", width);
    if (depth > 1) detail += fmt::format(", {}", count_of(depth, "cell"));
    tower.box(name, detail, kFeedForwardColor);
  }

  void encoder_layers(Tower& tower) {
    const std::int64_t depth = config_.encoder_transition_depth, count = config_.encoder_layers,
                       both = config_.bidirectional_layers();
    const std::string cell = cell_text(config_.encoder_cell), width = grouped(config_.encoder_d_state);
    const bool alternates = config_.encoder_directions == EncoderDirections::alternating;
    layers(
        tower, both,
        [&] {
          cells(tower, fmt::format("{}, {}", cell, alternates ? "alternating" : "both directions"), depth,
                fmt::format("2 × {}", width));
        },
        both > 1);
    layers(tower, count - both, [&] { cells(tower, fmt::format("{}, left to right", cell), depth, width); });
  }

  /// Returns where the keys and values of the encoder enter.
  Point attention(Tower& tower) {
    tower.box("Attention over the source", score_text(config_.attention), kAttentionColor);
    return tower.left_of_box();
  }

  /// Draws Bahdanau et al.'s decoder: attention between two cells of the first layer.
  Point conditional_layers(Tower& tower) {
    const std::string cell = cell_text(config_.decoder_cell), width = grouped(config_.d_state);
    Point memory;
    tower.repeated(1, [&] {
      cells(tower, cell, 1, width);
      memory = attention(tower);
      const std::int64_t depth = config_.decoder_base_transition_depth - 1;
      if (depth > 0) cells(tower, cell, depth, width);
    });
    layers(tower, config_.decoder_layers - 1,
           [&] { cells(tower, cell, config_.decoder_high_transition_depth, width); });
    tower.box("tanh", "of word, state and context", kFeedForwardColor);
    return memory;
  }

  /// Draws Luong et al.'s decoder: attention after the last layer.
  Point plain_layers(Tower& tower) {
    layers(
        tower, config_.decoder_layers,
        [&] { cells(tower, cell_text(config_.decoder_cell), 1, grouped(config_.d_state)); },
        config_.decoder_layers > 1);
    const Point memory = attention(tower);
    tower.box("tanh", "of state and context", kFeedForwardColor);
    return memory;
  }

  Svg& svg_;
  const RecurrentConfig& config_;
  bool has_vocabularies_;
};

/// Returns what the figure does not show, as lines of text.
std::vector<std::string> notes_of(const RecurrentConfig& config) {
  std::vector<std::string> notes = {
      "Each cell takes its state of the token before; those of the decoder begin with the mean of the "
      "annotations.",
      tying_text(config.tying)};
  if (config.input_feeding)
    notes.emplace_back("What the linear layer takes is input for the next token, too.");
  if (config.skip_connections) notes.emplace_back("The first layer of a stack has no residual connection.");
  if (config.layer_normalization) notes.emplace_back("Cells and layers have layer normalization.");
  if (!config.output_bias) notes.emplace_back("The linear layer has no bias.");
  return notes;
}

}  // namespace

std::string recurrent_picture(const PlottedModel& model) {
  const RecurrentConfig config = model.recurrent_config();
  const bool has_vocabularies = model.settings.contains("source_vocabulary");
  const FigureText text{
      model.name,
      fmt::format("d_embedding {}, d_state {}", grouped(config.d_embedding), grouped(config.d_state)),
      model.weights, notes_of(config)};
  return figure_page(text, [&](Svg& svg, double bottom) {
    return RecurrentFigure(svg, config, has_vocabularies).draw(bottom);
  });
}

}  // namespace nmt
