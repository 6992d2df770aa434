// Heat maps: matrices as colored cells.
#pragma once

#include <string>
#include <vector>

#include "pictures/svg.h"

namespace nmt {

enum class ColorScale {
  sequential,  // larger values differ more from the background: darker on light pages, brighter on dark ones
  diverging,   // values further from the middle get a stronger shade of one of two colors
};

/// Number of distinct colors of a scale; odd, so that one of them is the middle.
inline constexpr int kShades = 33;

/// Returns the color of a share from 0 to 1 of a scale. Colors of values that matter little are close to the
/// background of the page.
Color color_of(ColorScale scale, double part);

/// Returns the size of a color bar.
Box size_of_color_bar(const std::string& label);
/// Draws a bar of all colors with numbers at its ends and its middle, followed by its label.
void draw_color_bar(Svg& svg, Point at, ColorScale scale, double low, double high, const std::string& label);

struct HeatMap {
  std::string title;
  std::string x_label, y_label;                      // titles of the axes, above the map and on its left
  std::vector<std::vector<double>> rows;             // of equal length, the first at the top
  std::vector<std::string> row_names, column_names;  // beside each row and above each column; may be empty
  double low = 0, high = 1;  // the ends of the scale; values beyond them are shown as the ends
  ColorScale scale = ColorScale::sequential;
  std::string scale_label;  // label of the color bar below the map; empty: no bar
  double cell_width = 16, cell_height = 16;
};

/// Returns the size of a map.
Box size_of(const HeatMap& map);
/// Draws the map with its upper left corner at a place. Cells that are not finite are left out.
void draw(Svg& svg, Point at, const HeatMap& map);

}  // namespace nmt
