// Operations on the statistics of an update on the host, for backends whose memory is host memory.
#pragma once

#include "tensor/backend.h"

namespace nmt {

/// Run an operation of tensor/operations/update.h on the host.
void run_on_host(const BeginUpdate& begin);
void run_on_host(const SumLosses& sum);
void run_on_host(const CountUpdate& count);

}  // namespace nmt
