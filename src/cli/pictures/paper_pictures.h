// The pictures of the paper. They are drawn with the functions that training and translation call, so that
// they show the behavior of the program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/pictures/plotted_model.h"
#include "optim/schedule.h"

namespace nmt {

/// Draws figure 1: the layers of a model (Transformer or recurrent), with the sizes of this model.
std::string architecture_picture(const PlottedModel& model);

/// Draws the layers of a recurrent encoder-decoder, in the same style.
std::string recurrent_picture(const PlottedModel& model);

/// Maximum number of positions and of dimensions in a picture.
inline constexpr std::int64_t kMostPlotted = 4096;

struct PositionEmbeddings {
  std::string title;
  std::int64_t positions = 0, d_model = 0;
  std::vector<double> values;  // [positions, d_model]
};
/// Draws section 3.5: position embeddings as a map, and some of their dimensions as waves.
std::string positions_picture(const PositionEmbeddings& embeddings);

/// A learning-rate curve with its name in the legend.
struct RateCurve {
  std::string name;
  ScheduleSettings settings;
};
/// Draws section 5.3: learning rates over the updates, up to the last update, or to a multiple of the longest
/// warmup.
std::string schedule_picture(const std::string& title, const std::vector<RateCurve>& curves);

/// Draws section 5.4: the smoothed targets of a vocabulary for the first of these rates above 0, and for all
/// rates the loss as a function of the probability of the correct token.
std::string smoothing_picture(const std::vector<double>& label_smoothing, std::int32_t vocabulary);

/// The numbers of tokens of the sides of a pair.
struct PairLengths {
  std::int32_t source = 0, target = 0;
};
/// Draws section 3.2.3: the keys that each query sees in the three uses of attention, for pairs in one batch.
std::string masks_picture(const std::vector<PairLengths>& pairs);

}  // namespace nmt
