#include "train/rank_command.h"

#include <span>

namespace nmt {

void send(const RankCommand& command, Communicator& communicator) {
  RankCommand copy = command;
  communicator.broadcast(std::as_writable_bytes(std::span(&copy, 1)));
}

RankCommand receive(Communicator& communicator) {
  RankCommand command;
  communicator.broadcast(std::as_writable_bytes(std::span(&command, 1)));
  return command;
}

}  // namespace nmt
