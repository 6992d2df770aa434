// The commands of rank 0 to the other ranks of a run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tensor/communicator.h"

namespace nmt {

/// What rank 0 wants all ranks to do next. Only rank 0 knows and decides what controls a run: limits,
/// signals, validations, skipped updates.
struct RankCommand {
  enum class Kind : std::uint8_t { update, decision, validation, gather, exchange, end };

  Kind kind = Kind::update;
  // For an update:
  std::int64_t first = 1;            // see CountUpdate
  std::array<double, 2> rates = {};  // learning rates
  // For the decision about it (UpdateDecision):
  int signal = 0;  // the signal that cancels the update; 0: it is made
  // For what is gathered on rank 0:
  std::size_t buffer = 0;    // index into Replica::buffers()
  std::int64_t element = 0;  // first element of a parameter in flat buffers
  DType dtype = DType::f32;
};

/// Sends a command from rank 0 to all others.
void send(const RankCommand& command, Communicator& communicator);

/// On other ranks: waits for the next command.
RankCommand receive(Communicator& communicator);

}  // namespace nmt
