// What the emulator is told to do, and what it finds. A finding is told on standard error at once; from then
// on every call of the CUDA API fails with its words, until the last stream is destroyed, so that the test
// during which it came up fails. At the end of the process findings, and what was not given back, make the
// exit code 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simt {

enum class Order { forward, reverse, random };

/// Calls that make a graph and launch it.
enum class GraphCall { none, begin_capture, end_capture, instantiate, launch };

/// From the environment: NMT_EMULATOR_ORDER=forward|reverse|random[:SEED] is the order in which the threads
/// of a block run from one barrier to the next, and the blocks of a grid.
/// NMT_EMULATOR_STREAMS=deferred|immediate: work on a stream waits until somebody synchronises, or is done at
/// once. NMT_EMULATOR_PRODUCTS=offered|refused: refused, cublasLt has an algorithm for none.
/// NMT_EMULATOR_LAYERS=offered|refused: refused, cuDNN has neither recurrent layers nor
/// attention.
/// NMT_EMULATOR_ROUNDING=nearest|rough: rough, intrinsics and tensor cores err as much as they may (rough.h).
/// NMT_EMULATOR_CAPABILITY=80: what compute capability cards have, times ten.
/// NMT_EMULATOR_FAIL=COUNT: after so many calls of CUDA, all fail.
/// NMT_EMULATOR_HANG=CARD:COUNT: a stream of that card that has done so many operations does no more.
/// NMT_EMULATOR_LOST=CARD:COUNT: after so many collective calls of a communicator of that card the network is
/// gone.
struct Settings {
  Order order = Order::forward;
  std::uint64_t seed = 1;
  bool deferred = true;
  int cards = 2, capability = 90;
  bool products = true, layers = true;
  bool rough = false;
  int hanging_card = -1;
  int operations = 0;            // of its streams
  int calls_until_failure = -1;  // below zero: none fails
  int lost_card = -1, calls_until_lost = 0;
  bool room_for_graphs = true;
  GraphCall refused = GraphCall::none;
  bool memory_beside_collectives = false;  // whether it is allowed
};
Settings& settings();

void report(std::string text);

/// Its words, which stay where they are; nullptr: none.
const char* first_finding();

/// Those since the last call, which are forgotten: tests of the emulator expect them.
std::vector<std::string> take_findings();

/// What was found counts for the exit code alone.
void begin_anew();

/// Counts what has to be given back, by names like "a stream".
void born(const char* what);
void died(const char* what);

}  // namespace simt
