// Heat maps: matrices as colored cells.
#pragma once

#include <string>
#include <vector>

#include "pictures/colour_scale.h"
#include "pictures/svg.h"

namespace nmt {

struct HeatMap {
  std::string title;
  std::string x_label, y_label;                      // titles of the axes, above the map and on its left
  std::vector<std::vector<double>> rows;             // of equal length, the first at the top
  std::vector<std::string> row_names, column_names;  // beside each row and above each column; may be empty
  double low = 0, high = 1;  // the ends of the scale; values beyond them are shown as the ends
  ColourScale scale = ColourScale::sequential;
  std::string scale_label;  // label of the color bar below the map; empty: no bar
  double cell_width = 16, cell_height = 16;
};

/// Returns the size of a map.
Box size_of(const HeatMap& map);
/// Draws the map with its upper left corner at a place. Cells that are not finite are left out.
void draw(Svg& svg, Point at, const HeatMap& map);

}  // namespace nmt
