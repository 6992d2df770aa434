// What can be set about training. Names, defaults and meanings are those of the command line.
#pragma once

#include <cstdint>
#include <string>

#include "common/interval.h"
#include "graph/graph.h"

namespace nmt {

struct TrainingSettings {
  std::int64_t steps = 100000;  // 0: no limit
  std::int64_t epochs = 0;      // 0: no limit
  Interval stop_after{0, Interval::Unit::minutes};
  std::int64_t batch_tokens = 25000;
  std::int64_t micro_batch_tokens = 0;  // 0: what fits
  double learning_rate = 1;             // factor of the schedule
  std::int64_t warmup = 4000;
  double label_smoothing = 0.1;
  DropoutRates dropout{0.1, 0.1, 0.1};
  double clip_norm = 0;  // 0: off
  Interval valid_every{1000, Interval::Unit::updates};
  Interval save_every{1000, Interval::Unit::updates};
  Interval log_every{100, Interval::Unit::updates};
  std::int64_t keep_last = 5;  // 0: all
  std::int64_t max_length = 256;
  std::uint64_t seed = 1;
};

}  // namespace nmt
