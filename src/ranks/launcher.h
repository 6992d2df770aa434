// What started this process, and how many beside it.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace nmt {

/// One of several processes that a launcher has started together.
struct Launch {
  std::string launcher;  // "mpirun" or "srun"
  int rank = 0, ranks = 1;
};

/// The value of a variable of the environment; nullptr: it is not set.
using Environment = std::function<const char*(const char* name)>;

/// What the environment tells of the launcher: mpirun of Open MPI, or of MPICH and its kin, or srun. Nothing
/// where this process is alone, as a batch script of Slurm is, whatever it was given.
std::optional<Launch> find_launch(const Environment& environment);

/// The same of the environment of this process.
std::optional<Launch> find_launch();

}  // namespace nmt
