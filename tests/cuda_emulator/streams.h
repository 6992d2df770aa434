// Streams, events and graphs. What is put on a stream waits there until somebody synchronises, and streams
// then advance in an order drawn by lot, so that a missing synchronisation shows. A captured graph keeps its
// operations with their arguments and replays them.
#pragma once

#include <cuda_runtime.h>

#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace simt {

struct Operation {
  std::function<void()> run;
  std::function<bool()> ready;  // empty: always
};

}  // namespace simt

struct CUgraph_st {
  std::vector<simt::Operation> operations;
};
struct CUgraphExec_st {
  std::vector<simt::Operation> operations;
};
struct CUstream_st {
  std::deque<simt::Operation> queue;
  bool blocking = true;  // waits for the null stream, as cudaStreamCreate makes it
  CUgraph_st* capture = nullptr;
};
struct CUevent_st {
  std::uint64_t recorded = 0, reached = 0;  // counts of cudaEventRecord
  CUgraph_st* capture = nullptr;
};

namespace simt {

/// Held by every function of the API: one operation runs at a time, as there is one range of device memory
/// and one set of checks.
std::recursive_mutex& runtime_mutex();

/// Nothing happens after a finding.
void enqueue(cudaStream_t stream, Operation operation);

/// Advances streams until `finished`.
void advance(const std::function<bool()>& finished);
void drain(cudaStream_t stream);
void drain_all();

void add_stream(cudaStream_t stream);
void remove_stream(cudaStream_t stream);
void begin_capture(cudaStream_t stream);
CUgraph_st* end_capture(cudaStream_t stream);
bool some_capture();

/// What a function of the API returns: cudaErrorLaunchFailure once something was found.
cudaError_t done(cudaError_t status);

/// As cudaGetLastError.
cudaError_t take_last_error();

}  // namespace simt
