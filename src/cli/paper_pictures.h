// The pictures of the paper, drawn from the functions that training and translation call, so that they show
// what the program does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nmt {

/// A learning-rate curve: the paper's schedule for this width and warm-up.
struct RateCurve {
  std::int64_t d_model = 0, warmup = 0;
};

/// Section 3.5: the position embeddings as a map, and some of their dimensions as waves.
std::string positions_picture();
/// Section 5.3: learning rates over the updates, up to five times the longest warm-up or so.
std::string schedule_picture(const std::vector<RateCurve>& curves);
/// Section 5.4: what label smoothing makes of targets, and the loss over the probability of the right token.
std::string smoothing_picture();
/// Section 3.2.3: which keys each query sees in the three uses of attention, of two sentences in one batch.
std::string masks_picture();

}  // namespace nmt
