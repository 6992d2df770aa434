#include "backend/cuda/runtime/command_graphs.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "backend/cuda/runtime/status.h"

namespace nmt::cuda {
namespace {

// Number of commands by which a sequence is recognized. Shorter sequences are not worth a graph.
constexpr std::size_t kBeginning = 8;
constexpr std::size_t kMostKnown = 64;

void issue(const std::vector<Command>& commands, cudaStream_t stream) {
  for (const Command& command : commands) command(stream);
}

/// Clears the error of a refused call, which would otherwise be reported for the next kernel.
void forget_refusal() {
  static_cast<void>(cudaGetLastError());
}

/// Ends a capture in any state. Returns nullptr if nothing was captured.
cudaGraph_t end_capture(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) return graph;
  forget_refusal();
  return nullptr;
}

/// Captures commands as a graph. Their kernels have run before, so nothing needs to be loaded for them.
/// Returns nullptr if they cannot be captured: then they are not on the stream, and a persistent error is
/// reported when they are issued.
cudaGraph_t capture(const std::vector<Command>& commands, cudaStream_t stream) {
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
    forget_refusal();
    return nullptr;
  }
  try {
    issue(commands, stream);
  } catch (const std::exception&) {
    if (cudaGraph_t graph = end_capture(stream); graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
    return nullptr;
  }
  return end_capture(stream);
}

/// Returns an executable graph; nullptr if the GPU has no memory for it, or refuses it.
cudaGraphExec_t instantiate(cudaGraph_t graph, bool& has_room) {
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  if (status == cudaSuccess) return executable;
  forget_refusal();
  has_room = status != cudaErrorMemoryAllocation;
  return nullptr;
}

}  // namespace

void CommandGraphs::add(Command command, cudaStream_t stream) {
  ++now_.count;
  if (!now_.waits) return command(stream);
  now_.wait.push_back(std::move(command));
  if (now_.count != kBeginning) return;
  now_.beginning = now_.description.size();
  now_.waits = std::ranges::any_of(known_, [this](const Known& known) {
    return known.beginning == now_.beginning && known.description.starts_with(now_.description);
  });
  if (!now_.waits) issue(std::exchange(now_.wait, {}), stream);
}

void CommandGraphs::end(cudaStream_t stream) {
  if (now_.count == 0) return;
  Sequence sequence = std::exchange(now_, {});
  Known* const known = sequence.waits ? find(sequence.description) : nullptr;
  if (known == nullptr) {
    issue(sequence.wait, stream);
    if (sequence.count >= kBeginning) remember(std::move(sequence), stream);
    return;
  }
  known->last_use = ++ends_;
  if (known->graph == nullptr && known->may_be_captured && has_room_)
    make_graph(*known, sequence.wait, stream);
  if (known->graph == nullptr || !replay(*known, stream)) issue(sequence.wait, stream);
  now_.description = std::move(sequence.description);  // the next description needs as much memory
  now_.description.clear();
}

CommandGraphs::Known* CommandGraphs::find(const std::string& description) {
  const auto found = std::ranges::find(known_, description, &Known::description);
  return found == known_.end() ? nullptr : &*found;
}

void CommandGraphs::make_graph(Known& known, const std::vector<Command>& commands, cudaStream_t stream) {
  cudaGraph_t graph = capture(commands, stream);
  if (graph != nullptr) {
    known.graph = instantiate(graph, has_room_);
    static_cast<void>(cudaGraphDestroy(graph));
  }
  known.may_be_captured = known.graph != nullptr || !has_room_;
}

bool CommandGraphs::replay(Known& known, cudaStream_t stream) {
  if (cudaGraphLaunch(known.graph, stream) == cudaSuccess) {
    ++replays_;
    return true;
  }
  forget_refusal();
  static_cast<void>(cudaStreamSynchronize(stream));  // the graph may still be running
  static_cast<void>(cudaGraphExecDestroy(known.graph));
  known.graph = nullptr;
  known.may_be_captured = false;
  return false;
}

void CommandGraphs::remember(Sequence sequence, cudaStream_t stream) {
  if (known_.size() == kMostKnown) forget_oldest(stream);
  known_.push_back(
      {.description = std::move(sequence.description), .beginning = sequence.beginning, .last_use = ++ends_});
}

void CommandGraphs::forget_oldest(cudaStream_t stream) {
  const auto oldest = std::ranges::min_element(known_, {}, &Known::last_use);
  if (oldest->graph != nullptr) {
    check(cudaStreamSynchronize(stream));  // the graph may still be running
    check(cudaGraphExecDestroy(oldest->graph));
    has_room_ = true;
  }
  known_.erase(oldest);
}

void CommandGraphs::forget() {
  for (const Known& known : known_)
    if (known.graph != nullptr) static_cast<void>(cudaGraphExecDestroy(known.graph));
  known_.clear();
}

}  // namespace nmt::cuda
