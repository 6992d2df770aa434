#include "ranks/launched_ranks.h"

#include <gtest/gtest.h>

#include <map>

namespace nmt {
namespace {

std::optional<Launch> launch_of(const std::map<std::string, std::string>& variables) {
  return find_launch([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

void expect_launch(const std::map<std::string, std::string>& variables, const std::string& launcher, int rank,
                   int ranks) {
  const auto launch = launch_of(variables);
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->launcher, launcher);
  EXPECT_EQ(launch->rank, rank);
  EXPECT_EQ(launch->ranks, ranks);
}

TEST(Launcher, IsToldByTheEnvironment) {
  expect_launch({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "3"}}, "mpirun", 1, 3);
  expect_launch({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}, "mpirun", 0, 2);
  expect_launch({{"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_TASKS", "8"}}, "srun", 5, 8);
}

TEST(Launcher, OfSeveralTheInnermostCounts) {
  expect_launch({{"SLURM_PROCID", "0"},
                 {"SLURM_STEP_NUM_TASKS", "2"},
                 {"OMPI_COMM_WORLD_RANK", "3"},
                 {"OMPI_COMM_WORLD_SIZE", "4"}},
                "mpirun", 3, 4);
  EXPECT_FALSE(launch_of({{"SLURM_PROCID", "0"},
                          {"SLURM_STEP_NUM_TASKS", "2"},
                          {"OMPI_COMM_WORLD_RANK", "0"},
                          {"OMPI_COMM_WORLD_SIZE", "1"}}));
}

TEST(Launcher, AProcessAloneHasNone) {
  EXPECT_FALSE(launch_of({}));
  EXPECT_FALSE(launch_of({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}));
  // A batch script, which represents all tasks.
  EXPECT_FALSE(launch_of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "1"}}));
}

TEST(Launcher, NumbersAreNumbers) {
  for (const char* text : {"", "x", "2x", "-2", "99999999999999999999"}) {
    EXPECT_FALSE(launch_of({{"PMI_RANK", "0"}, {"PMI_SIZE", text}})) << text;
    EXPECT_FALSE(launch_of({{"PMI_RANK", text}, {"PMI_SIZE", "2"}})) << text;
  }
  EXPECT_FALSE(launch_of({{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}}));
}

}  // namespace
}  // namespace nmt
