// Heat maps: matrices as coloured cells.
#pragma once

#include <string>
#include <vector>

#include "pictures/svg.h"

namespace nmt {

struct HeatMap {
  std::string title, x_label, y_label;
  std::vector<std::vector<double>> rows;  // of equal length, the first at the top
  double low = 0, high = 1;               // shown as the ends of the scale; what is beyond them too
  std::vector<std::string> row_names, column_names;  // beside each row and above each column, or none
};

/// The colour of a part from 0 to 1 of the scale: from pale to dark blue, as dark as it is light.
std::string colour_of(double part);

/// How large one is with cells of this side.
Box size_of(const HeatMap& map, double cell);
/// Draws the map with its upper left corner at a place. Cells that are not finite are left out.
void draw(Svg& svg, Point at, const HeatMap& map, double cell);

}  // namespace nmt
