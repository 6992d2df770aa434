// Streams, events and graphs. What is put on a stream waits there until somebody synchronises, and streams
// then advance in an order drawn by lot, so that a missing synchronisation shows. A captured graph keeps its
// operations with their arguments and replays them.
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
  bool waits_for_ever = false;  // of a fault, until it is given up
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
  int operations = 0;  // that were done
  int card = 0;
  bool blocking = true;  // waits for the null stream, as cudaStreamCreate makes it
  CUgraph_st* capture = nullptr;
};
struct CUevent_st {
  int card = 0;
  std::uint64_t recorded = 0, reached = 0;  // counts of cudaEventRecord
  CUgraph_st* capture = nullptr;
};

namespace simt {

/// A recursive mutex that can be given up at all levels at once.
class RuntimeMutex {
 public:
  void lock();
  void unlock();
  /// Gives it up until another thread has done something, then has it again.
  void wait();
  /// Something was done that others may wait for.
  void notify() { changed_.notify_all(); }

 private:
  std::recursive_mutex mutex_;
  std::condition_variable_any changed_;
  int levels_ = 0;
};

/// Held by every function of the API: one operation runs at a time, as there is one range of device memory
/// and one set of checks.
RuntimeMutex& runtime_mutex();

/// Nothing happens after a finding.
void enqueue(cudaStream_t stream, Operation operation);

/// Does the next operation of a stream, the first that can from one on that is drawn; false where none can.
/// Under the mutex.
bool step_some();
/// Advances streams until `finished`. Where none can go on, some other thread has to come, if there is one
/// that will: see join_threads().
void advance(const std::function<bool()>& finished);
void drain(cudaStream_t stream);
/// All of the card of this thread.
void drain_all();

/// From now on this thread, once more or once less, puts on streams what those of other threads wait for.
void join_threads(std::thread::id thread);
void leave_threads(std::thread::id thread);

/// Of the calling thread.
int current_card();
void set_current_card(int card);

/// What `call` does may wait for all cards of the process: memory is taken or given back, or a kernel is
/// loaded. Under the mutex. `look` is called at each such call from now on.
void wait_for_cards(const std::string& call);
void look_at_waits(std::function<void(const std::string& call)> look);

void add_stream(cudaStream_t stream);
void remove_stream(cudaStream_t stream);
void begin_capture(cudaStream_t stream);
CUgraph_st* end_capture(cudaStream_t stream);
bool some_capture();
/// One that this thread began. They are all of thread-local mode: other threads may do what they like.
bool captures_here();

/// What a function of the API returns: cudaErrorLaunchFailure once something was found.
cudaError_t done(cudaError_t status);

/// As cudaGetLastError.
cudaError_t take_last_error();

}  // namespace simt

extern "C" {

/// How many graphs were launched so far: for tests of programs that have the emulator in a library, where
/// they find this by its name.
[[gnu::visibility("default")]] std::int64_t simt_graph_launches();

}  // extern "C"
