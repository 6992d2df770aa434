#include "backend/cuda/runtime/command_graphs.h"

#include <algorithm>
#include <utility>

#include "backend/cuda/runtime/status.h"

namespace nmt::cuda {
namespace {

// Commands by which a sequence is recognised. One with fewer is not worth a graph.
constexpr std::size_t kBeginning = 8;
constexpr std::size_t kMostKnown = 64;

void issue(const std::vector<Command>& commands, cudaStream_t stream) {
  for (const Command& command : commands) command(stream);
}

/// Their kernels have run before, so nothing has to be loaded for them. nullptr where the card has no memory
/// for a graph of them.
cudaGraphExec_t capture(const std::vector<Command>& commands, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  try {
    issue(commands, stream);
  } catch (...) {
    static_cast<void>(cudaStreamEndCapture(stream, &graph));
    static_cast<void>(cudaGraphDestroy(graph));
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  static_cast<void>(cudaGraphDestroy(graph));
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());  // which it would be for the next kernel
    return nullptr;
  }
  check(status);
  return executable;
}

}  // namespace

void CommandGraphs::add(Command command, cudaStream_t stream) {
  ++now_.count;
  if (!now_.waits) return command(stream);
  now_.wait.push_back(std::move(command));
  if (now_.count != kBeginning) return;
  now_.beginning = now_.description;
  now_.waits = begin_so_.contains(now_.beginning);
  if (!now_.waits) issue(std::exchange(now_.wait, {}), stream);
}

void CommandGraphs::end(cudaStream_t stream) {
  if (now_.count == 0) return;
  Sequence sequence = std::exchange(now_, {});
  const auto found = known_.find(sequence.description);
  if (found == known_.end()) {
    issue(sequence.wait, stream);
    if (sequence.count >= kBeginning) remember(std::move(sequence), stream);
    return;
  }
  Known& known = found->second;
  known.last_use = ++ends_;
  if (known.graph == nullptr && has_room_) {
    known.graph = capture(sequence.wait, stream);
    has_room_ = known.graph != nullptr;
  }
  if (known.graph == nullptr) return issue(sequence.wait, stream);
  check(cudaGraphLaunch(known.graph, stream));
  ++replays_;
}

void CommandGraphs::remember(Sequence sequence, cudaStream_t stream) {
  if (known_.size() == kMostKnown) forget_oldest(stream);
  ++begin_so_[sequence.beginning];
  known_.emplace(std::move(sequence.description),
                 Known{.beginning = std::move(sequence.beginning), .last_use = ++ends_});
}

void CommandGraphs::forget_oldest(cudaStream_t stream) {
  const auto oldest =
      std::ranges::min_element(known_, {}, [](const auto& entry) { return entry.second.last_use; });
  const auto& [beginning, graph, last_use] = oldest->second;
  if (graph != nullptr) {
    check(cudaStreamSynchronize(stream));  // it may be on its way
    check(cudaGraphExecDestroy(graph));
    has_room_ = true;
  }
  const auto begins_so = begin_so_.find(beginning);
  if (--begins_so->second == 0) begin_so_.erase(begins_so);
  known_.erase(oldest);
}

void CommandGraphs::forget() {
  for (const auto& [description, known] : known_)
    if (known.graph != nullptr) static_cast<void>(cudaGraphExecDestroy(known.graph));
  known_.clear();
  begin_so_.clear();
}

}  // namespace nmt::cuda
