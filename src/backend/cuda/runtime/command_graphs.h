// Sequences of commands that come again, which a card then gets as one: a CUDA graph.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace nmt::cuda {

/// Puts something on a stream: a kernel with its arguments, a product, a copy.
using Command = std::function<void(cudaStream_t)>;

/// Puts commands on a stream, in their order. A sequence, from one end() to the next, of which every command
/// has come before with the same arguments, addresses among them, is captured as a graph when it comes for
/// the second time, and is replayed from then on: it does the same, and costs the host and the card less than
/// its commands one by one. So the steps of a search are replayed while their shapes stay as they are, since
/// an arena gives the same addresses for the same shapes, and so are batches that come again. Nobody else has
/// to know. When the card has no memory for a graph, there are no more than it has; a sequence that cannot be
/// captured or launched as one goes to it command by command.
///
/// Commands wait for the end of a sequence only if it begins as one that is known; others, such as those of
/// batches whose shapes are new, go to the stream at once.
class CommandGraphs {
 public:
  CommandGraphs() = default;
  CommandGraphs(const CommandGraphs&) = delete;
  CommandGraphs& operator=(const CommandGraphs&) = delete;

  /// What the next command depends on: the bytes of all that it is made of.
  template <class... Parts>
  void describe(const Parts&... parts) {
    (append(std::as_bytes(std::span(&parts, 1))), ...);
  }
  /// The command that was described.
  void add(Command command, cudaStream_t stream);
  /// Puts on the stream what is not there yet.
  void end(cudaStream_t stream);
  /// Gives the graphs back. Nothing may be on its way.
  void forget();

  std::int64_t replays() const { return replays_; }

 private:
  /// The one that has begun.
  struct Sequence {
    std::string description;
    std::size_t beginning = 0;  // bytes of the description that its first commands have
    std::size_t count = 0;      // of its commands
    std::vector<Command> wait;  // those that are not on the stream yet
    bool waits = true;          // whether the next one waits, too
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
  /// False where it was refused: nothing of it is on the stream, and nobody tries it again.
  bool replay(Known& known, cudaStream_t stream);
  /// Nullptr where there is none that is described so.
  Known* find(const std::string& description);
  void remember(Sequence sequence, cudaStream_t stream);
  void forget_oldest(cudaStream_t stream);

  Sequence now_;
  std::vector<Known> known_;
  std::int64_t ends_ = 0, replays_ = 0;
  bool has_room_ = true;  // for one more graph
};

}  // namespace nmt::cuda
