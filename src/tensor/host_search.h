// The operations on the hypotheses of a search alone, for backends whose memory is the host's.
#pragma once

#include "tensor/backend.h"

namespace nmt {

/// Each is defined in tensor/backend.h.
void run_on_host(const RankContinuations& rank);
void run_on_host(const ExtendHypotheses& extend);

}  // namespace nmt
