// Operations on the hypotheses of a search on the host, for backends whose memory is host memory.
#pragma once

#include "tensor/backend.h"

namespace nmt {

/// Run an operation of tensor/operations/search.h on the host.
void run_on_host(const RankContinuations& rank);
void run_on_host(const ExtendHypotheses& extend);

}  // namespace nmt
