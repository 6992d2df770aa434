// Colours that stand for numbers.
#pragma once

#include <string>

#include "pictures/svg.h"

namespace nmt {

enum class ColourScale {
  sequential,  // the more, the further from the ground: darker on light pages, brighter on dark ones
  diverging,   // the further from the middle, one way or the other, the stronger one of two colours
};

/// Colours of a scale that are told apart; a number that is odd, so that one of them is the middle.
inline constexpr int kShades = 33;

/// The colour of a part from 0 to 1 of a scale. Where there is little to see it is near the ground of the
/// page.
Colour colour_of(ColourScale scale, double part);

/// How much room a bar takes.
Box size_of_colour_bar(const std::string& label);
/// A bar of all colours with numbers for its ends and its middle, and behind it what they are.
void draw_colour_bar(Svg& svg, Point at, ColourScale scale, double low, double high,
                     const std::string& label);

}  // namespace nmt
