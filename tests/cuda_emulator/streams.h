// Streams, events and graphs. Work on a stream waits until somebody synchronizes; then streams advance in
// random order, so that a missing synchronization shows. A captured graph stores its operations with their
// arguments and replays them.
#pragma once

#include <cuda_runtime.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace simt {

struct Operation {
  std::function<void()> run;
  std::function<bool()> ready;  // empty: always
  bool waits_for_ever = false;  // hangs by a simulated fault, until it is aborted
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
  int operations = 0;  // number done
  int gpu = 0;
  bool blocking = true;  // waits for the null stream, as with cudaStreamCreate
  CUgraph_st* capture = nullptr;
};
struct CUevent_st {
  int gpu = 0;
  std::uint64_t recorded = 0, reached = 0;  // numbers of cudaEventRecord calls
  CUgraph_st* capture = nullptr;
};

namespace simt {

/// A recursive mutex that can be released at all levels at once.
class RuntimeMutex {
 public:
  void lock();
  void unlock();
  /// Releases the mutex until another thread has done something, then locks it again.
  void wait();
  /// Reports that something was done that others may wait for.
  void notify() { changed_.notify_all(); }

 private:
  std::recursive_mutex mutex_;
  std::condition_variable_any changed_;
  int levels_ = 0;
};

/// Returns the mutex that every function of the API holds: one operation runs at a time, as there is one
/// range of device memory and one set of checks.
RuntimeMutex& runtime_mutex();

/// Adds an operation to a stream; does nothing after a finding.
void enqueue(cudaStream_t stream, Operation operation);

/// Does the next operation of the first stream that can run, starting from a random one; returns false if
/// none can. Under the mutex.
bool step_some();
/// Advances streams until `finished` is true. If none can run, waits for another thread that may act: see
/// join_threads().
void advance(const std::function<bool()>& finished);
void drain(cudaStream_t stream);
/// Completes all work on the GPU of this thread.
void drain_all();

/// Increments or decrements how often this thread counts as one that adds work for which other threads wait.
void join_threads(std::thread::id thread);
void leave_threads(std::thread::id thread);

/// Returns the GPU of the calling thread.
int current_gpu();
void set_current_gpu(int gpu);

/// Reports that `call` may wait for all GPUs of the process: it allocates or frees memory, or loads a kernel.
/// Under the mutex. `look` is called at each such call from now on.
void wait_for_gpus(const std::string& call);
void look_at_waits(std::function<void(const std::string& call)> look);

void add_stream(cudaStream_t stream);
void remove_stream(cudaStream_t stream);
void begin_capture(cudaStream_t stream);
CUgraph_st* end_capture(cudaStream_t stream);
bool some_capture();
/// Whether this thread is capturing a graph. Captures are thread-local: other threads are not restricted.
bool captures_here();

/// Returns the status of an API function: cudaErrorLaunchFailure after a finding.
cudaError_t done(cudaError_t status);

/// Implements cudaGetLastError().
cudaError_t take_last_error();

}  // namespace simt

extern "C" {

/// Returns how many graphs were launched so far. Tests of programs that load the emulator as a library find
/// this function by its name.
[[gnu::visibility("default")]] std::int64_t simt_graph_launches();

}  // extern "C"
