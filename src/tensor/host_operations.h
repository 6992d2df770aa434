// Operations on the statistics of an update and on the hypotheses of a search on the host, for backends whose
// memory is host memory.
#pragma once

#include "tensor/backend.h"

namespace nmt {

/// Run an operation of tensor/operations/update.h or adafactor.h on the host.
void run_on_host(const BeginUpdate& begin);
void run_on_host(const SumLosses& sum);
void run_on_host(const CountUpdate& count);
void run_on_host(const AdafactorMoments& moments);

/// Run an operation of tensor/operations/search.h on the host.
void run_on_host(const RankContinuations& rank);
void run_on_host(const ExtendHypotheses& extend);

}  // namespace nmt
