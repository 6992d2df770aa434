// The part of the CUDA runtime API for launches, streams, events and graphs.
#include <set>
#include <string>
#include <utility>

#include "cuda_emulator/block.h"
#include "cuda_emulator/findings.h"
#include "cuda_emulator/listing.h"
#include "cuda_emulator/place.h"
#include "cuda_emulator/streams.h"

namespace simt {
namespace {

bool within_limits(const Shape& s) {
  constexpr std::size_t kMostShared = 48 * 1024;  // more has to be asked for
  constexpr unsigned kMostX = 0x7fffffffu, kMostYZ = 65535, kMostThreads = 1024, kMostThreadsZ = 64;
  const auto threads = std::uint64_t{s.block.x} * s.block.y * s.block.z;
  return s.grid.x > 0 && s.grid.y > 0 && s.grid.z > 0 && s.grid.x <= kMostX && s.grid.y <= kMostYZ &&
         s.grid.z <= kMostYZ && threads > 0 && threads <= kMostThreads && s.block.z <= kMostThreadsZ &&
         s.shared_bytes <= kMostShared;
}

std::string name_of(const dim3& x) {
  return "(" + std::to_string(x.x) + "," + std::to_string(x.y) + "," + std::to_string(x.z) + ")";
}

std::int64_t& launches() {
  static std::int64_t count = 0;
  return count;
}

/// A kernel is loaded by its first launch on a GPU.
void load(const void* function) {
  static auto& loaded = *new std::set<std::pair<int, const void*>>;
  if (loaded.emplace(current_gpu(), function).second) wait_for_gpus("the first launch of " + place(function));
}

bool is_captured(cudaStream_t stream) {
  return stream != nullptr && stream->capture != nullptr;
}

cudaError_t refuse_capture(const char* what) {
  report(std::string(what) + " while a stream is being captured");
  return done(cudaErrorStreamCaptureUnsupported);
}

}  // namespace

void submit(cudaStream_t stream, const Shape& shape, std::function<void()> kernel, const void* function) {
  const std::lock_guard lock(runtime_mutex());
  if (!within_limits(shape)) {
    report("a launch of " + place(function) + " with a grid of " + name_of(shape.grid) + ", blocks of " +
           name_of(shape.block) + " and " + std::to_string(shape.shared_bytes) +
           " bytes of shared memory: out of limits");
    return;
  }
  if (stream != nullptr && stream->gpu != current_gpu())
    return report("a launch of " + place(function) + " on a stream of another GPU than the current one");
  load(function);
  enqueue(stream, {[shape, kernel = std::move(kernel), function] { run_grid(shape, kernel, function); }, {}});
}

}  // namespace simt

using namespace simt;

extern "C" {

// ---- streams

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const std::lock_guard lock(runtime_mutex());
  *stream = new CUstream_st;
  (*stream)->blocking = flags != cudaStreamNonBlocking;
  add_stream(*stream);
  born("a stream");
  return done(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());
  if (is_captured(stream)) return refuse_capture("a stream is destroyed");
  drain(stream);
  const cudaError_t status = done(cudaSuccess);
  remove_stream(stream);
  delete stream;
  died("a stream");
  return status;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());
  if (is_captured(stream)) return refuse_capture("a stream is synchronised");
  drain(stream);
  return done(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize() {
  const std::lock_guard lock(runtime_mutex());
  if (some_capture()) return refuse_capture("the device is synchronised");
  drain_all();
  return done(cudaSuccess);
}

// ---- events

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st{.gpu = current_gpu()};
  born("an event");
  return done(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const std::lock_guard lock(runtime_mutex());
  advance([event] { return event->reached >= event->recorded; });
  delete event;
  died("an event");
  return done(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());
  if (stream != nullptr && event->gpu != stream->gpu) {
    report("an event of GPU " + std::to_string(event->gpu) + " is recorded on a stream of GPU " +
           std::to_string(stream->gpu));
    return done(cudaErrorInvalidResourceHandle);
  }
  event->capture = stream == nullptr ? nullptr : stream->capture;
  if (event->capture != nullptr) return done(cudaSuccess);
  const std::uint64_t n = ++event->recorded;
  enqueue(stream, {[event, n] { event->reached = n; }, {}});
  return done(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const std::lock_guard lock(runtime_mutex());
  if (event->capture != nullptr) {
    stream->capture = event->capture;  // it joins the capture; the order of the calls is one of the graph's
    return done(cudaSuccess);
  }
  const std::uint64_t n = event->recorded;
  enqueue(stream, {[] {}, [event, n] { return event->reached >= n; }});
  return done(cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const std::lock_guard lock(runtime_mutex());
  if (event->capture != nullptr) return refuse_capture("an event is synchronised");
  const std::uint64_t n = event->recorded;
  advance([event, n] { return event->reached >= n; });
  return done(cudaSuccess);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const std::lock_guard lock(runtime_mutex());
  if (event->capture != nullptr) return refuse_capture("an event is queried");
  if (event->reached >= event->recorded) return done(cudaSuccess);
  bool waited = false;
  advance([&] { return std::exchange(waited, true); });
  return first_finding() != nullptr ? done(cudaSuccess) : cudaErrorNotReady;
}

// ---- graphs

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  const std::lock_guard lock(runtime_mutex());
  if (stream == nullptr || is_captured(stream)) return refuse_capture("a capture begins");
  if (settings().refused == GraphCall::begin_capture) return done(cudaErrorStreamCaptureUnsupported);
  begin_capture(stream);
  return done(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const std::lock_guard lock(runtime_mutex());
  if (!is_captured(stream)) {
    report("the end of a capture that did not begin");
    return done(cudaErrorIllegalState);
  }
  *graph = end_capture(stream);
  const bool refused = settings().refused == GraphCall::end_capture;
  const cudaError_t status = done(refused ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
  if (status != cudaSuccess)
    delete std::exchange(*graph, nullptr);  // then there is none to give back
  else
    born("a graph");
  return status;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  const std::lock_guard lock(runtime_mutex());
  wait_for_gpus("cudaGraphInstantiate");
  if (!settings().room_for_graphs) return done(cudaErrorMemoryAllocation);
  if (settings().refused == GraphCall::instantiate) return done(cudaErrorNotSupported);
  const cudaError_t status = done(cudaSuccess);
  if (status != cudaSuccess) return status;  // then there is none to give back
  *exec = new CUgraphExec_st{graph->operations};
  born("an executable graph");
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());
  if (settings().refused == GraphCall::launch) return done(cudaErrorNotSupported);
  for (const Operation& operation : exec->operations) {
    enqueue(stream, operation);
    if (is_listing()) list("replayed", 0, {});
  }
  ++launches();
  return done(cudaSuccess);
}

std::int64_t simt_graph_launches() {
  const std::lock_guard lock(runtime_mutex());
  return launches();
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  died("a graph");
  return done(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete exec;
  died("an executable graph");
  return done(cudaSuccess);
}

}  // extern "C"
