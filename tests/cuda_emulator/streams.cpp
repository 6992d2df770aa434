#include "cuda_emulator/streams.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "cuda_emulator/findings.h"
#include "cuda_emulator/shadow.h"

namespace simt {
namespace {

struct Streams {
  RuntimeMutex mutex;
  std::vector<cudaStream_t> all;
  CUstream_st null_stream;
  std::uint64_t draws = 0;
  int captures = 0;
  std::map<std::thread::id, int> threads;                 // see join_threads()
  std::vector<const std::function<bool()>*> waiting_for;  // of threads that wait for others
  std::vector<std::function<void(const std::string&)>> looks_at_waits;
};

/// Never destroyed, because streams may exist until the end of the process.
Streams& streams() {
  static Streams& it = *new Streams;
  return it;
}

thread_local cudaError_t last = cudaSuccess;
thread_local int gpu_of_thread = 0;
thread_local int captures_of_thread = 0;

std::atomic<int> calls = 0;

/// After that, no call waits for work on GPUs.
bool all_calls_fail() {
  return settings().calls_until_failure >= 0 && calls > settings().calls_until_failure;
}

/// Counts another call; the last ones fail.
bool has_failed() {
  ++calls;
  return all_calls_fail();
}

bool hangs(const CUstream_st& stream) {
  return stream.gpu == settings().hanging_gpu && stream.operations >= settings().operations;
}

/// Returns true if it did something.
bool step(cudaStream_t s) {
  if (s->queue.empty() || hangs(*s) || (s->queue.front().ready && !s->queue.front().ready())) return false;
  ++s->operations;
  const Operation operation = std::move(s->queue.front());
  s->queue.pop_front();
  if (first_finding() != nullptr) return true;
  stand.gpu = s->gpu;
  try {
    operation.run();
  } catch (const std::exception& e) {
    report(e.what());
  }
  return true;
}

/// Whether it has stopped because of a fault.
bool is_stuck(const CUstream_st& stream) {
  return hangs(stream) || (!stream.queue.empty() && stream.queue.front().waits_for_ever);
}

bool is_idle(cudaStream_t stream) {
  return stream->queue.empty();
}

/// Whether there is another thread that does not wait. If a GPU hangs, all wait forever.
bool somebody_will_come() {
  const Streams& s = streams();
  if (std::any_of(s.all.begin(), s.all.end(), [](cudaStream_t stream) { return is_stuck(*stream); }))
    return true;
  const auto goes_on = [](const std::function<bool()>* finished) { return (*finished)(); };
  return std::any_of(s.waiting_for.begin(), s.waiting_for.end(), goes_on) ||
         s.waiting_for.size() + 1 < s.threads.size();
}

void wait_for_others(const std::function<bool()>& finished) {
  Streams& s = streams();
  s.waiting_for.push_back(&finished);
  s.mutex.wait();
  s.waiting_for.erase(std::find(s.waiting_for.begin(), s.waiting_for.end(), &finished));
}

}  // namespace

void RuntimeMutex::lock() {
  mutex_.lock();
  ++levels_;
}

void RuntimeMutex::unlock() {
  --levels_;
  mutex_.unlock();
}

void RuntimeMutex::wait() {
  struct AllLevels {
    RuntimeMutex& of;
    int levels = of.levels_;
    void lock() const {
      for (int i = 0; i < levels; ++i) of.lock();
    }
    void unlock() const {
      for (int i = 0; i < levels; ++i) of.unlock();
    }
  } all{*this};
  changed_.wait(all);
}

RuntimeMutex& runtime_mutex() {
  return streams().mutex;
}

bool step_some() {
  Streams& s = streams();
  if (s.all.empty()) return false;
  s.draws = s.draws * 6364136223846793005u + 1442695040888963407u + settings().seed;
  const std::size_t first = (s.draws >> 33) % s.all.size();
  for (std::size_t i = 0; i < s.all.size(); ++i)
    if (step(s.all[(first + i) % s.all.size()])) return true;
  return false;
}

void advance(const std::function<bool()>& finished) {
  while (!finished()) {
    if (step_some()) {
      runtime_mutex().notify();
      continue;
    }
    if (first_finding() == nullptr && somebody_will_come()) {
      wait_for_others(finished);
      continue;
    }
    if (!all_calls_fail()) report("streams wait for what never comes");
    for (cudaStream_t stream : streams().all) stream->queue.clear();
    return;
  }
}

void drain(cudaStream_t stream) {
  if (stream != nullptr) return advance([stream] { return is_idle(stream); });
  advance([] {
    return std::all_of(streams().all.begin(), streams().all.end(),
                       [](cudaStream_t s) { return !s->blocking || is_idle(s); });
  });
}

void drain_all() {
  advance([gpu = current_gpu()] {
    return std::all_of(streams().all.begin(), streams().all.end(),
                       [gpu](cudaStream_t s) { return s->gpu != gpu || is_idle(s); });
  });
}

void join_threads(std::thread::id thread) {
  const std::lock_guard lock(runtime_mutex());
  ++streams().threads[thread];
}

void leave_threads(std::thread::id thread) {
  const std::lock_guard lock(runtime_mutex());
  std::map<std::thread::id, int>& threads = streams().threads;
  if (--threads[thread] == 0) threads.erase(thread);
  runtime_mutex().notify();
}

int current_gpu() {
  return gpu_of_thread;
}

void set_current_gpu(int gpu) {
  gpu_of_thread = gpu;
}

void enqueue(cudaStream_t stream, Operation operation) {
  const std::lock_guard lock(runtime_mutex());
  if (stream == nullptr) {
    if (some_capture()) report("the null stream is used while a stream is being captured");
    drain(nullptr);
    streams().null_stream.gpu = current_gpu();
    streams().null_stream.queue.push_back(std::move(operation));
    step(&streams().null_stream);
  } else if (stream->capture != nullptr) {
    stream->capture->operations.push_back(std::move(operation));
  } else {
    stream->queue.push_back(std::move(operation));
    runtime_mutex().notify();
    while (!settings().deferred && step(stream)) {
    }
  }
}

void wait_for_gpus(const std::string& call) {
  if (all_calls_fail()) return;
  for (const auto& look : streams().looks_at_waits) look(call);
}

void look_at_waits(std::function<void(const std::string&)> look) {
  streams().looks_at_waits.push_back(std::move(look));
}

void add_stream(cudaStream_t stream) {
  stream->gpu = current_gpu();
  streams().all.push_back(stream);
}

void remove_stream(cudaStream_t stream) {
  std::vector<cudaStream_t>& all = streams().all;
  all.erase(std::remove(all.begin(), all.end(), stream), all.end());
  if (all.empty()) begin_anew();
}

void begin_capture(cudaStream_t stream) {
  stream->capture = new CUgraph_st;
  ++streams().captures;
  ++captures_of_thread;
}

CUgraph_st* end_capture(cudaStream_t stream) {
  CUgraph_st* graph = stream->capture;
  for (cudaStream_t other : streams().all)
    if (other->capture == graph) other->capture = nullptr;
  --streams().captures;
  --captures_of_thread;
  return graph;
}

bool some_capture() {
  return streams().captures > 0;
}

bool captures_here() {
  return captures_of_thread > 0;
}

cudaError_t done(cudaError_t status) {
  if (has_failed()) return cudaErrorIllegalAddress;
  if (first_finding() != nullptr) return cudaErrorLaunchFailure;
  if (status != cudaSuccess) last = status;
  return status;
}

cudaError_t take_last_error() {
  const cudaError_t taken = first_finding() != nullptr ? cudaErrorLaunchFailure : last;
  last = cudaSuccess;
  return taken;
}

}  // namespace simt
