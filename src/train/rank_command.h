// What rank 0 tells the other ranks of a run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tensor/communicator.h"

namespace nmt {

/// What rank 0 wants of all ranks next. Whatever steers a run (its limits, signals, validations, updates that
/// are skipped) is known there, and is decided there alone.
struct RankCommand {
  enum class Kind : std::uint8_t { update, decision, validation, gather, exchange, end };

  Kind kind = Kind::update;
  // Of an update:
  std::int64_t first = 1;            // see CountUpdate
  std::array<double, 2> rates = {};  // of learning
  // Of the decision about it (UpdateDecision):
  int signal = 0;  // that it is given up for; 0: it is made
  // Of what is gathered on rank 0:
  std::size_t buffer = 0;    // which of Replica::buffers()
  std::int64_t element = 0;  // the first one of a parameter in flat buffers
  DType dtype = DType::f32;
};

/// On rank 0: tells all others.
void send(const RankCommand& command, Communicator& communicator);

/// On others: waits for the next one.
RankCommand receive(Communicator& communicator);

}  // namespace nmt
