// The cards of this machine, and what they can do.
#pragma once

#include <string>
#include <vector>

namespace nmt::cuda {

struct Card {
  int number = 0;
  std::string name;    // "NVIDIA H200"
  int capability = 0;  // compute capability times ten: 90 is 9.0
};

/// For each card there is, at least one, a name that no other card anywhere has. Throws NoCard where the
/// machine has no driver or shows no card, UsageError where the driver is older than CUDA.
std::vector<std::string> names_of_cards();

/// Card `number`, from 0. Throws NoCard where the machine has no driver or shows no card, UsageError where it
/// lacks this one, or it is older than what the kernels were compiled for, or the driver is older than CUDA.
Card find_card(int number);

}  // namespace nmt::cuda
