#include "ranks/launcher.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include "common/text/number.h"

namespace nmt {
namespace {

struct Variables {
  const char *launcher, *rank, *ranks;
};

/// Innermost launcher first: mpirun may run inside a script of srun.
constexpr std::array kVariables = {
    Variables{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    Variables{"mpirun", "PMI_RANK", "PMI_SIZE"},
    // This variable describes a job step only; SLURM_NTASKS is also set for a batch script.
    Variables{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
};

std::optional<int> number(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::optional<int> value = number_of<int>(text);
  return value >= 0 ? value : std::nullopt;
}

}  // namespace

std::optional<Launch> find_launch(const Environment& environment) {
  for (const auto& [launcher, rank_name, ranks_name] : kVariables) {
    const std::optional<int> rank = number(environment(rank_name)), ranks = number(environment(ranks_name));
    if (!rank || !ranks) continue;
    if (*ranks < 2 || *rank >= *ranks) return std::nullopt;
    return Launch{launcher, *rank, *ranks};
  }
  return std::nullopt;
}

std::optional<Launch> find_launch() {
  return find_launch([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace nmt
