// Parts of figures of models: towers of boxes, and the page around them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "nn/input.h"
#include "nn/settings.h"
#include "pictures/svg.h"

namespace nmt {

struct DrawingOptions {
  std::string output = "-";
  std::optional<std::string> format;  // none: by the extension of the output's name
};

/// Adds `--output` and `--format svg|png`.
void add_drawing_options(Options& options, DrawingOptions& target);

/// Writes a drawing. Throws Error if it cannot be written, or cannot be converted to PNG.
void write_drawing(const std::string& svg, const DrawingOptions& options);

inline constexpr double kBoxWidth = 176, kBoxHeight = 40,
                        kBelow = 26;  // below a box: space for the arrow into it
inline constexpr double kEncoderX = 206, kDecoderX = 566, kFigureWidth = 772, kEdge = 16;

// Colors as in the paper.
inline const Color kEmbeddingColor = {"#fbe3e3", "#5b3438"}, kAttentionColor = {"#fde2bd", "#5e4420"},
                   kFeedForwardColor = {"#c7e6f5", "#1f4a61"}, kNormColor = {"#f2f3c5", "#4c4d22"},
                   kLinearColor = {"#dde0f1", "#383d5e"}, kSoftmaxColor = {"#cfe8d3", "#24502e"};

/// Formats 37000 as "37,000".
std::string grouped(std::int64_t number);

// Names of settings in figures.
const char* start_text(DecoderStart start);
std::string tying_text(Tying tying);

/// Half of a figure, which grows upwards from its foot.
class Tower {
 public:
  /// `side`: the side of the boxes for residual connections, -1 for left and 1 for right.
  Tower(Svg& svg, Point foot, int side) : svg_(svg), x_(foot.x), y_(foot.y), side_(side) {}

  Point top() const { return {x_, y_}; }
  /// Returns the middle of the left edge of the last box.
  Point left_of_box() const { return {x_ - kBoxWidth / 2, y_ + kBoxHeight / 2}; }

  /// Continues the line upwards by `height`.
  void rise(double height);
  void text(const std::string& name, const std::string& detail);
  void box(const std::string& name, const std::string& detail, const Color& color);
  /// Draws the output at the top.
  void out(const std::string& name);
  /// Splits the arrow into the next box into three, for queries, keys and values of one input.
  void split();
  /// Draws the addition of positions to embeddings.
  void add_positions(const std::string& name, const std::string& detail);
  /// Draws a residual connection from the input of what `draw` draws to its last box.
  void with_residual(const std::function<void()>& draw);
  /// Draws a frame around what `draw` draws, labeled with the number of repetitions.
  void repeated(std::int64_t count, const std::function<void()>& draw);

 private:
  Svg& svg_;
  double x_, y_;
  int side_;
};

/// Returns the size of an embedding matrix or of the linear layer as text; without a vocabulary, the size is
/// unknown.
std::string table_text(std::optional<std::int64_t> vocabulary, std::int64_t width, bool is_output = false);

/// Draws the end of every model: the linear layer, of size `linear`, up to the probabilities, and the line
/// labeled `what` from the encoder to the decoder. Returns the height of the figure.
double finish_towers(Svg& svg, const Tower& encoder, Tower& decoder, const std::string& linear, Point memory,
                     const std::string& what);

/// The text around a figure.
struct FigureText {
  std::string name, facts;
  std::optional<std::int64_t> weights;
  std::vector<std::string> notes;  // what the figure does not show, one line each
};
/// Returns a page with a figure. `draw` draws it from its bottom up and returns its height.
std::string figure_page(const FigureText& text, const std::function<double(Svg& svg, double bottom)>& draw);

}  // namespace nmt
