// Repeated sequences of commands, which are sent to the GPU as one: a CUDA graph.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace nmt::cuda {

/// Puts work on a stream: a kernel with its arguments, a product, a copy.
using Command = std::function<void(cudaStream_t)>;

/// Puts commands on a stream, in order. A sequence reaches from one end() to the next. If it occurs for the
/// second time with the same commands and the same arguments, including addresses, it is captured as a graph,
/// which is replayed from then on. This has the same effect as single commands, and costs the host and the
/// GPU less. So the steps of a search are replayed while their shapes stay the same, because an arena returns
/// the same addresses for the same shapes; so are recurring batches. Callers need not know. If the GPU has no
/// memory for another graph, none is added; a sequence that cannot be captured or launched as a graph is sent
/// command by command.
///
/// Commands wait for the end of a sequence only if it begins like a known one; others, such as those of
/// batches with new shapes, go to the stream at once.
class CommandGraphs {
 public:
  CommandGraphs() = default;
  CommandGraphs(const CommandGraphs&) = delete;
  CommandGraphs& operator=(const CommandGraphs&) = delete;

  /// Describes what the next command depends on: the bytes of all parts.
  template <class... Parts>
  void describe(const Parts&... parts) {
    (append(std::as_bytes(std::span(&parts, 1))), ...);
  }
  /// Adds the command that was described.
  void add(Command command, cudaStream_t stream);
  /// Ends a sequence and puts all pending commands on the stream.
  void end(cudaStream_t stream);
  /// Frees the graphs. No work may be pending.
  void forget();

  std::int64_t replays() const { return replays_; }

 private:
  /// The current sequence.
  struct Sequence {
    std::string description;
    std::size_t beginning = 0;  // length of the description of its first commands, in bytes
    std::size_t count = 0;      // number of its commands
    std::vector<Command> wait;  // commands that are not on the stream yet
    bool waits = true;          // whether the next command waits, too
  };
  struct Known {
    std::string description;
    std::size_t beginning = 0;
    cudaGraphExec_t graph = nullptr;
    bool may_be_captured = true;
    std::int64_t last_use = 0;
  };

  void append(std::span<const std::byte> bytes) {
    now_.description.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void make_graph(Known& known, const std::vector<Command>& commands, cudaStream_t stream);
  /// Replays a graph; returns false if that was refused: then nothing of it is on the stream, and it is not
  /// tried again.
  bool replay(Known& known, cudaStream_t stream);
  /// Returns the known sequence with this description, or nullptr.
  Known* find(const std::string& description);
  void remember(Sequence sequence, cudaStream_t stream);
  void forget_oldest(cudaStream_t stream);

  Sequence now_;
  std::vector<Known> known_;
  std::int64_t ends_ = 0, replays_ = 0;
  bool has_room_ = true;  // for one more graph
};

}  // namespace nmt::cuda
