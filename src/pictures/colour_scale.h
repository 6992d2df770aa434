// Colors that stand for numbers.
#pragma once

#include <string>

#include "pictures/svg.h"

namespace nmt {

enum class ColourScale {
  sequential,  // larger values differ more from the background: darker on light pages, brighter on dark ones
  diverging,   // values further from the middle get a stronger shade of one of two colors
};

/// Number of distinct colors of a scale; odd, so that one of them is the middle.
inline constexpr int kShades = 33;

/// Returns the color of a share from 0 to 1 of a scale. Colors of values that matter little are close to the
/// background of the page.
Colour colour_of(ColourScale scale, double part);

/// Returns the size of a color bar.
Box size_of_colour_bar(const std::string& label);
/// Draws a bar of all colors with numbers at its ends and its middle, followed by its label.
void draw_colour_bar(Svg& svg, Point at, ColourScale scale, double low, double high,
                     const std::string& label);

}  // namespace nmt
