// The tests of candidates.h skip no instruction set that the processor has.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "common/error.h"

namespace nmt::testing {
namespace {

/// Returns the system's description of the first processor; empty if there is none.
std::set<std::string> processor_flags() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    std::istringstream words(line);
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

struct InstructionSet {
  std::string name, precision;
  std::vector<std::string> flags;
};

TEST(InstructionSets, OpenWhereTheProcessorHasThem) {
  const std::set<std::string> has = processor_flags();
  const std::vector<std::string> sets = cpu_instruction_sets();
  if (has.empty()) GTEST_SKIP() << "/proc/cpuinfo does not tell what the processor has";
  for (const auto& [name, precision, flags] :
       {InstructionSet{"sse4_1", "bf16", {"sse4_1"}},
        {"avx2", "bf16", {"avx2", "fma"}},
        {"avx2", "int8", {"avx2", "fma"}},
        {"avx_vnni", "int8", {"avx2", "fma", "avx_vnni"}},
        {"avx512", "bf16", {"avx2", "fma", "avx512f", "avx512bw", "avx512dq", "avx512vl"}},
        {"avx512", "int8", {"avx2", "fma", "avx512f", "avx512bw", "avx512dq", "avx512vl"}},
        {"avx512_vnni", "int8", {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni"}},
        {"avx512_bf16", "bf16", {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_bf16"}},
        {"amx", "bf16", {"avx512f", "avx512_vnni", "avx512_bf16", "amx_tile", "amx_bf16", "amx_int8"}},
        {"amx", "int8", {"avx512f", "avx512_vnni", "avx512_bf16", "amx_tile", "amx_bf16", "amx_int8"}},
        {"neon", "bf16", {"asimd"}},
        {"neon_dotprod", "int8", {"asimddp"}},
        {"neon_i8mm", "int8", {"i8mm"}},
        {"neon_bf16", "bf16", {"bf16"}}}) {
    if (std::ranges::find(sets, name) ==
            sets.end() ||  // of another architecture; qemu shows flags of the host
        !std::all_of(flags.begin(), flags.end(), [&](const auto& flag) { return has.contains(flag); }))
      continue;
    EXPECT_NO_THROW(open_backend({.device = "cpu", .precision = precision, .cpu_isa = name}))
        << name << ", " << precision;
  }
}

TEST(InstructionSets, AreRefusedForTypesTheyHaveNothingFor) {
  for (const auto& [precision, name] : {std::pair{"f32", "avx_vnni"},
                                        {"f32", "avx512_vnni"},
                                        {"f32", "avx512_bf16"},
                                        {"f32", "amx"},
                                        {"bf16", "avx_vnni"},
                                        {"bf16", "avx512_vnni"},
                                        {"int8", "avx512_bf16"},
                                        {"f32", "neon_dotprod"},
                                        {"f32", "neon_bf16"},
                                        {"bf16", "neon_i8mm"},
                                        {"int8", "neon_bf16"}})
    EXPECT_THROW(open_backend({.device = "cpu", .precision = precision, .cpu_isa = name}), UsageError)
        << precision << ' ' << name;
}

TEST(InstructionSets, AreTheArithmeticOfADeviceThreadsAreNot) {
  const std::string isa = cpu_instruction_sets().front();
  for (const auto& [threads, suffix] : {std::pair{1, ", 1 thread"}, {3, ", 3 threads"}}) {
    const auto backend = open_backend({.device = "cpu", .cpu_isa = isa, .threads = threads});
    EXPECT_EQ(backend->description(), "cpu, " + isa + suffix);
    EXPECT_EQ(backend->arithmetic(), "cpu, " + isa);
  }
  EXPECT_EQ(open_backend({.device = "reference"})->arithmetic(), "reference, f64");
}

TEST(InstructionSets, MeanTheCpuWhereDevicesAreChosen) {
  EXPECT_EQ(best_device({.cpu_isa = "avx2"}), "cpu");
}

TEST(InstructionSets, ReferenceComputesInF64Alone) {
  EXPECT_NO_THROW(open_backend({.device = "reference", .precision = "auto"}));
  for (const std::string precision : {"f32", "bf16"})
    EXPECT_THROW(open_backend({.device = "reference", .precision = precision}), UsageError) << precision;
}

}  // namespace
}  // namespace nmt::testing
