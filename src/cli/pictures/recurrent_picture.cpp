// Draws the layers of a recurrent encoder-decoder.
#include <fmt/format.h>

#include "cli/pictures/paper_pictures.h"
#include "cli/pictures/tower.h"
#include "common/text/number.h"

namespace nmt {
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
    encoder.box("Source embedding", table(config_.source_vocabulary), kEmbeddingColour);
    encoder_layers(encoder);
    decoder.text("Target, shifted right", start_text(config_.decoder_start));
    decoder.box("Target embedding", table(config_.target_vocabulary), kEmbeddingColour);
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
        tower.box("Add", "", kNormColour);
      });
    });
  }

  void cells(Tower& tower, const std::string& name, std::int64_t depth, const std::string& width) {
    std::string detail = fmt::format("states of {}", width);
    if (depth > 1) detail += fmt::format(", {}", count_of(depth, "cell"));
    tower.box(name, detail, kFeedForwardColour);
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
    tower.box("Attention over the source", score_text(config_.attention), kAttentionColour);
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
    tower.box("tanh", "of word, state and context", kFeedForwardColour);
    return memory;
  }

  /// Draws Luong et al.'s decoder: attention after the last layer.
  Point plain_layers(Tower& tower) {
    layers(
        tower, config_.decoder_layers,
        [&] { cells(tower, cell_text(config_.decoder_cell), 1, grouped(config_.d_state)); },
        config_.decoder_layers > 1);
    const Point memory = attention(tower);
    tower.box("tanh", "of state and context", kFeedForwardColour);
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
