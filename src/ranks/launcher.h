// Detects the launcher of this process.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace nmt {

/// Describes this process as one of several that a launcher has started together.
struct Launch {
  std::string launcher;  // "mpirun" or "srun"
  int rank = 0, ranks = 1;
};

/// Returns the value of an environment variable; nullptr if it is not set.
using Environment = std::function<const char*(const char* name)>;

/// Detects the launcher from environment variables: mpirun of Open MPI, of MPICH or of its derivatives, or
/// srun. Returns nothing for a single process, such as a batch script of Slurm, whatever resources it has.
std::optional<Launch> find_launch(const Environment& environment);

/// Detects the launcher from the environment of this process.
std::optional<Launch> find_launch();

}  // namespace nmt
