// The operations on the statistics of an update alone, for backends whose memory is the host's.
#pragma once

#include "tensor/backend.h"

namespace nmt {

/// Each is defined in tensor/backend.h.
void run_on_host(const BeginUpdate& begin);
void run_on_host(const SumLosses& sum);
void run_on_host(const CountUpdate& count);

}  // namespace nmt
