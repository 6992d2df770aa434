// The parts of figures of models: towers of boxes, and the page around them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nn/input.h"
#include "nn/tying.h"
#include "pictures/svg.h"

namespace nmt {

inline constexpr double kBoxWidth = 176, kBoxHeight = 40,
                        kBelow = 26;  // of a box; room for the arrow into it
inline constexpr double kEncoderX = 206, kDecoderX = 566, kFigureWidth = 772, kEdge = 16;

// As in the paper.
inline const Colour kEmbeddingColour = {"#fbe3e3", "#5b3438"}, kAttentionColour = {"#fde2bd", "#5e4420"},
                    kFeedForwardColour = {"#c7e6f5", "#1f4a61"}, kNormColour = {"#f2f3c5", "#4c4d22"},
                    kLinearColour = {"#dde0f1", "#383d5e"}, kSoftmaxColour = {"#cfe8d3", "#24502e"};

/// 37000 as "37,000".
std::string grouped(std::int64_t number);

// Settings as figures say them.
const char* start_text(DecoderStart start);
std::string tying_text(Tying tying);

/// Half of a figure, which grows upwards from a place.
class Tower {
 public:
  /// `side`: on which side of the boxes residual connections go, -1 for the left and 1 for the right.
  Tower(Svg& svg, Point foot, int side) : svg_(svg), x_(foot.x), y_(foot.y), side_(side) {}

  Point top() const { return {x_, y_}; }
  /// Where the left side of the last box is.
  Point left_of_box() const { return {x_ - kBoxWidth / 2, y_ + kBoxHeight / 2}; }

  /// The line goes on so far.
  void rise(double height);
  void text(const std::string& name, const std::string& detail);
  void box(const std::string& name, const std::string& detail, const Colour& colour);
  /// What comes out at the top.
  void out(const std::string& name);
  /// Queries, keys and values of one input: the arrow into the next box has two beside it.
  void split();
  /// Positions are added to embeddings.
  void add_positions(const std::string& name, const std::string& detail);
  /// What `draw` draws has its input added in its last box.
  void with_residual(const std::function<void()>& draw);
  /// What `draw` draws inside of a frame, beside which stands how many there are of it.
  void repeated(std::int64_t count, const std::function<void()>& draw);

 private:
  Svg& svg_;
  double x_, y_;
  int side_;
};

/// The size of an embedding matrix, or of that of the linear layer; no vocabulary: its size is not known.
std::string table_text(std::optional<std::int64_t> vocabulary, std::int64_t width, bool is_output = false);

/// Draws what all models end with: the linear layer, of size `linear`, up to the probabilities, and the line
/// by which `what` goes from the encoder to a place in the decoder. Returns how far up the figure goes.
double finish_towers(Svg& svg, const Tower& encoder, Tower& decoder, const std::string& linear, Point memory,
                     const std::string& what);

/// The text around a figure.
struct FigureText {
  std::string name, facts;
  std::optional<std::int64_t> weights;
  std::vector<std::string> notes;  // what the figure does not show, a line each
};
/// A page with a figure, which `draw` draws from its bottom up; it returns how far up it goes.
std::string figure_page(const FigureText& text, const std::function<double(Svg& svg, double bottom)>& draw);

}  // namespace nmt
