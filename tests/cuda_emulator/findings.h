// The settings of the emulator, and its findings. A finding is printed on standard error at once. From then
// on every call of the CUDA API fails with its message, until the last stream is destroyed, so that the
// current test fails. At the end of the process, findings and leaks make the exit code 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simt {

enum class Order { forward, reverse, random };

/// Calls that make and launch a graph.
enum class GraphCall { none, begin_capture, end_capture, instantiate, launch };

/// Settings from the environment:
/// - NMT_EMULATOR_ORDER=forward|reverse|random[:SEED]: the order in which the threads of a block run between
///   barriers, and the blocks of a grid.
/// - NMT_EMULATOR_STREAMS=deferred|immediate: whether work on a stream waits until somebody synchronizes.
/// - NMT_EMULATOR_PRODUCTS=offered|refused: refused means that cublasLt has no algorithm for any product.
/// - NMT_EMULATOR_LAYERS=offered|refused: refused means that cuDNN lacks recurrent layers and attention.
/// - NMT_EMULATOR_ROUNDING=nearest|rough: rough means the largest permitted errors of intrinsics and tensor
///   cores (rough.h).
/// - NMT_EMULATOR_CAPABILITY=80: compute capability of the GPUs, times ten.
/// - NMT_EMULATOR_FAIL=COUNT: all calls of CUDA after the first COUNT fail.
/// - NMT_EMULATOR_HANG=GPU:COUNT: a stream of that GPU hangs after COUNT operations.
/// - NMT_EMULATOR_LOST=GPU:COUNT: the network is lost after COUNT collective calls of a communicator of
///   that GPU.
struct Settings {
  Order order = Order::forward;
  std::uint64_t seed = 1;
  bool deferred = true;
  int gpus = 2, capability = 90;
  bool products = true, layers = true;
  bool rough = false;
  int hanging_gpu = -1;
  int operations = 0;            // of its streams
  int calls_until_failure = -1;  // negative: never
  int lost_gpu = -1, calls_until_lost = 0;
  bool room_for_graphs = true;
  GraphCall refused = GraphCall::none;
  bool memory_beside_collectives = false;  // whether it is allowed
};
Settings& settings();

void report(std::string text);

/// Returns the message of the first finding, which stays valid; null: none.
const char* first_finding();

/// Returns the findings since the last call and forgets them, for tests of the emulator that expect them.
std::vector<std::string> take_findings();

/// Forgets findings, except for the exit code.
void begin_anew();

/// Counts what must be released, by names like "a stream".
void born(const char* what);
void died(const char* what);

}  // namespace simt
