// The pictures of the paper, drawn from the functions that training and translation call, so that they show
// what the program does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/pictures/plotted_model.h"
#include "optim/schedule.h"

namespace nmt {

/// Figure 1: the layers of a model, a Transformer or a recurrent one, with the figures of this one, placed
/// where it has them.
std::string architecture_picture(const PlottedModel& model);

/// The layers of a recurrent encoder-decoder, in the same form.
std::string recurrent_picture(const PlottedModel& model);

/// Most positions and dimensions of a picture.
inline constexpr std::int64_t kMostPlotted = 4096;

struct PositionEmbeddings {
  std::string title;
  std::int64_t positions = 0, d_model = 0;
  std::vector<double> values;  // [positions, d_model]
};
/// Section 3.5: position embeddings as a map, and some of their dimensions as waves.
std::string positions_picture(const PositionEmbeddings& embeddings);

/// A learning-rate curve, and what the legend calls it.
struct RateCurve {
  std::string name;
  ScheduleSettings settings;
};
/// Section 5.3: learning rates over the updates, up to the last one, or several times the longest warm-up.
std::string schedule_picture(const std::string& title, const std::vector<RateCurve>& curves);

/// Section 5.4: what label smoothing makes of the targets of a vocabulary, of the first of these rates above
/// 0, and the loss over the probability of the right token, of all.
std::string smoothing_picture(const std::vector<double>& label_smoothing, std::int32_t vocabulary);

/// How many tokens the sides of a pair have.
struct PairLengths {
  std::int32_t source = 0, target = 0;
};
/// Section 3.2.3: which keys each query sees in the three uses of attention, of pairs in one batch.
std::string masks_picture(const std::vector<PairLengths>& pairs);

}  // namespace nmt
