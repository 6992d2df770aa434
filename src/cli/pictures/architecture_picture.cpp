// Figure 1 of the paper, of a model.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "cli/pictures/paper_pictures.h"
#include "common/text/plural.h"
#include "pictures/svg.h"

namespace nmt {
namespace {

constexpr double kBoxWidth = 176, kBoxHeight = 40, kBelow = 26;  // of a box; room for the arrow into it
constexpr double kFrameWidth = kBoxWidth + 72;
constexpr double kEncoderX = 206, kDecoderX = 566, kFigureWidth = 772, kEdge = 16, kHeader = 60,
                 kFooter = 26;  // above the notes

// As in the paper.
const Colour kEmbeddingColour = {"#fbe3e3", "#5b3438"}, kAttentionColour = {"#fde2bd", "#5e4420"},
             kFeedForwardColour = {"#c7e6f5", "#1f4a61"}, kNormColour = {"#f2f3c5", "#4c4d22"},
             kLinearColour = {"#dde0f1", "#383d5e"}, kSoftmaxColour = {"#cfe8d3", "#24502e"};

/// 37000 as "37,000".
std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

const char* start_text(DecoderStart start) {
  switch (start) {
    case DecoderStart::zero:
      return "a zero vector first";
    case DecoderStart::eos:
      return "EOS first";
    case DecoderStart::bos:
      break;
  }
  return "BOS first";
}

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
      case Positions::sinusoidal:
        break;
    }
    return "sinusoids";
  };
  return kind() + (config.position_offset > 0 ? fmt::format(", from {}", config.position_offset) : "");
}

void arrow_up(Svg& svg, Point tip) {
  svg.path(fmt::format("M{} {}l-4 7h8z", number(tip.x), number(tip.y)), {{"class", "faint"}});
}

/// Pointing to the right, or with -1 to the left.
void arrow_aside(Svg& svg, Point tip, int to = 1) {
  svg.path(fmt::format("M{} {}l{} -4v8z", number(tip.x), number(tip.y), -7 * to), {{"class", "faint"}});
}

/// Half of the figure, which grows upwards from a place.
class Tower {
 public:
  /// `side`: on which side of the boxes residual connections go, -1 for the left and 1 for the right.
  Tower(Svg& svg, Point foot, int side) : svg_(svg), x_(foot.x), y_(foot.y), side_(side) {}

  Point top() const { return {x_, y_}; }
  /// Where the left side of the last box is.
  Point left_of_box() const { return {x_ - kBoxWidth / 2, y_ + kBoxHeight / 2}; }

  /// The line goes on so far.
  void rise(double height) {
    svg_.line(top(), {x_, y_ - height}, "axis");
    y_ -= height;
  }

  void text(const std::string& name, const std::string& detail) {
    svg_.text({x_, y_ - 18}, name, Anchor::middle);
    svg_.text({x_, y_ - 2}, detail, Anchor::middle, {{"class", "faint"}});
    y_ -= 34;
  }

  void box(const std::string& name, const std::string& detail, const Colour& colour) {
    rise(kBelow);
    arrow_up(svg_, top());
    y_ -= kBoxHeight;
    svg_.rectangle({x_ - kBoxWidth / 2, y_, kBoxWidth, kBoxHeight},
                   {{"class", "axis " + svg_.fill(colour)}, {"rx", "6"}});
    const double middle = y_ + kBoxHeight / 2;
    svg_.text({x_, detail.empty() ? middle + 4 : middle - 3}, name, Anchor::middle);
    if (!detail.empty()) svg_.text({x_, middle + 13}, detail, Anchor::middle, {{"class", "faint"}});
  }

  /// What comes out at the top.
  void out(const std::string& name) {
    rise(kBelow);
    arrow_up(svg_, top());
    y_ -= kLineHeight;
    svg_.text({x_, y_ + 12}, name, Anchor::middle);
  }

  /// Queries, keys and values of one input: the arrow into the next box has two beside it.
  void split() {
    const double fork = y_ - kBelow / 2;
    for (const double across : {-kBoxWidth / 3, kBoxWidth / 3}) {
      svg_.polyline({{x_, fork}, {x_ + across, fork}, {x_ + across, y_ - kBelow}}, "axis");
      arrow_up(svg_, {x_ + across, y_ - kBelow});
    }
  }

  /// Positions are added to embeddings.
  void add_positions(const std::string& name, const std::string& detail) {
    constexpr double kRadius = 9;
    rise(kBelow);
    y_ -= 2 * kRadius;
    const Point middle{x_, y_ + kRadius};
    svg_.path(fmt::format("M{0} {1}a{2} {2} 0 1 0 {3} 0a{2} {2} 0 1 0 -{3} 0M{0} {1}h{3}M{4} {5}v{3}",
                          number(middle.x - kRadius), number(middle.y), kRadius, 2 * kRadius,
                          number(middle.x), number(middle.y - kRadius)),
              {{"class", "axis"}});
    const double away = middle.x + side_ * (kRadius + 12);
    svg_.line({middle.x + side_ * kRadius, middle.y}, {away, middle.y}, "axis");
    const Anchor anchor = side_ < 0 ? Anchor::end : Anchor::start;
    svg_.text({away + side_ * 4, middle.y - 2}, name, anchor);
    svg_.text({away + side_ * 4, middle.y + 12}, detail, anchor, {{"class", "faint"}});
  }

  /// What `draw` draws has its input added in its last box.
  void with_residual(const std::function<void()>& draw) {
    const double from = y_ - 6, across = x_ + side_ * (kBoxWidth / 2 + 20);
    draw();
    const double to = y_ + kBoxHeight / 2, edge = x_ + side_ * kBoxWidth / 2;
    svg_.polyline({{x_, from}, {across, from}, {across, to}, {edge, to}}, "axis");
    arrow_aside(svg_, {edge, to}, -side_);
  }

 private:
  Svg& svg_;
  double x_, y_;
  int side_;
};

/// Draws the figure of a configuration, from a place at its bottom up.
class Figure {
 public:
  Figure(Svg& svg, const TransformerConfig& config, bool has_vocabularies)
      : svg_(svg), config_(config), has_vocabularies_(has_vocabularies) {}

  /// Returns how far up it goes.
  double draw(double bottom) {
    Tower encoder(svg_, {kEncoderX, bottom}, -1), decoder(svg_, {kDecoderX, bottom}, 1);
    encoder.text("Source", source_text(config_.source_special_tokens));
    encoder.box("Source embedding", table(config_.source_vocabulary), kEmbeddingColour);
    add_positions(encoder);
    repeated(encoder, config_.encoder_layers, -1, [&] {
      self_attention(encoder, "Self-attention");
      feed_forward(encoder, config_.encoder_feed_forward);
    });
    if (config_.final_norm) encoder.box("Norm", "", kNormColour);

    decoder.text("Target, shifted right", start_text(config_.decoder_start));
    decoder.box("Target embedding", table(config_.target_vocabulary), kEmbeddingColour);
    add_positions(decoder);
    Point memory;
    repeated(decoder, config_.decoder_layers, 1, [&] { memory = decoder_layer(decoder); });
    if (config_.final_norm) decoder.box("Norm", "", kNormColour);
    decoder.box("Linear", table(config_.target_vocabulary, true), kLinearColour);
    decoder.box("Softmax", "", kSoftmaxColour);
    decoder.out("Probabilities of the next token");
    connect(encoder.top(), memory);
    return std::min(encoder.top().y - kBelow, decoder.top().y);
  }

 private:
  std::string table(std::int64_t vocabulary, bool is_output = false) const {
    const std::string pieces = has_vocabularies_ ? grouped(vocabulary) : "vocabulary";
    const std::string width = grouped(config_.d_model);
    return is_output ? width + " × " + pieces : pieces + " × " + width;
  }

  void add_positions(Tower& tower) const {
    tower.add_positions("Positional encoding", positions_text(config_));
    if (config_.embedding_norm) tower.box("Norm", "", kNormColour);
  }

  /// What `draw` draws inside of a frame, beside which stands how many there are of it.
  void repeated(Tower& tower, std::int64_t count, int side, const std::function<void()>& draw) {
    const Point foot = tower.top();
    tower.rise(kBelow);
    draw();
    tower.rise(kBelow / 2);
    const Box frame{foot.x - kFrameWidth / 2, tower.top().y, kFrameWidth,
                    foot.y - kBelow / 2 - tower.top().y};
    svg_.rectangle(frame, {{"class", "axis"}, {"rx", "10"}});
    svg_.text({foot.x + side * (kFrameWidth / 2 + 10), frame.y + frame.height / 2},
              fmt::format("{} ×", count), side < 0 ? Anchor::end : Anchor::start, {{"class", "title"}});
  }

  /// A sub-layer with the residual connection around it and the normalization where the model has it.
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

  /// What lets a token of the target see those before it.
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

  /// Returns where keys and values of the encoder go in.
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

  /// From the top of the encoder to the decoder.
  void connect(Point top, Point memory) {
    const double across = (kEncoderX + kDecoderX) / 2;
    svg_.polyline({top, {top.x, top.y - kBelow}, {across, top.y - kBelow}, {across, memory.y}, memory},
                  "axis");
    arrow_aside(svg_, memory);
    svg_.text({across + 6, memory.y - 6}, "K, V", Anchor::start, {{"class", "faint"}});
  }

  Svg& svg_;
  const TransformerConfig& config_;
  bool has_vocabularies_;
};

std::string tying_text(Tying tying) {
  switch (tying) {
    case Tying::all:
      return "One matrix serves both embeddings and the linear layer.";
    case Tying::target:
      return "One matrix serves the target embedding and the linear layer.";
    case Tying::inputs:
      return "One matrix serves both embeddings, another one the linear layer.";
    case Tying::none:
      break;
  }
  return "Embeddings and the linear layer each have their own matrix.";
}

/// What the figure does not show, in lines of text.
std::vector<std::string> notes_of(const PlottedModel& model, const TransformerConfig& config) {
  std::vector<std::string> notes = {tying_text(config.tying)};
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
  const TransformerConfig config = model.config();
  const bool has_vocabularies = model.settings.contains("source_vocabulary");
  const std::vector<std::string> notes = notes_of(model, config);
  const double footer = kFooter + kLineHeight * static_cast<double>(notes.size());
  Svg aside(0, 0, "");
  const double height = -Figure(aside, config, has_vocabularies).draw(0) + kHeader + footer;
  Svg svg(kFigureWidth, height, fmt::format("The architecture of {}", model.name));
  svg.text({kEdge, 24}, model.name, Anchor::start, {{"class", "title"}});
  std::string facts = fmt::format("d_model {}", grouped(config.d_model));
  if (model.weights) facts += fmt::format(", {} weights", grouped(*model.weights));
  svg.text({kEdge, 24 + kLineHeight}, facts, Anchor::start, {{"class", "faint"}});
  double y = height - footer + kFooter + 6;
  for (const std::string& note : notes) {
    svg.text({kEdge, y}, note, Anchor::start, {{"class", "faint"}});
    y += kLineHeight;
  }
  Figure(svg, config, has_vocabularies).draw(height - footer);
  return svg.str();
}

}  // namespace nmt
