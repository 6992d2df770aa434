// The cards of this machine, and what they can do.
#pragma once

#include <string>
#include <string_view>
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
/// lacks this one, or this build has no code for it, or the driver is older than CUDA.
Card find_card(int number);

/// Whether a build for these architectures, in the names of CMAKE_CUDA_ARCHITECTURES with blanks between
/// them, has code for a card: "90-real" for those of its generation, from 9.0 on; "90-virtual" and "90",
/// which a driver translates, for all from 9.0 on; "90a" for 9.0 alone; "100f" for those of its generation,
/// too.
bool has_code(std::string_view architectures, int capability);

}  // namespace nmt::cuda
