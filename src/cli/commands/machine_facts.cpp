#include "cli/commands/machine_facts.h"

#include <lzma.h>
#include <unicode/uvernum.h>
#include <xxhash.h>
#include <yaml-cpp/yaml.h>
#include <zip.h>
#include <zlib.h>
#include <zstd.h>

#include <boost/version.hpp>
#include <fstream>

#include "backend/factory.h"
#include "commit.h"
#include "common/error.h"
#include "common/process/resources.h"

namespace nmt {
namespace {

/// Returns the processor's name according to the system.
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// Returns the instruction sets that this program has code for and this processor supports.
Facts instruction_sets() {
  Facts sets = Facts::array();
  for (const std::string& isa : cpu_instruction_sets()) {
    const auto opens = [&](const std::string& precision) {
      try {
        open_backend({.device = "cpu", .precision = precision, .cpu_isa = isa});
        return true;
      } catch (const UsageError&) {
        return false;  // not on this processor, or not for this type
      }
    };
    if (opens("bf16") || opens("int8")) sets.push_back(isa);
  }
  return sets;
}

std::string description(const DeviceSettings& settings) {
  try {
    return open_backend(settings)->description();
  } catch (const Error& error) {
    return error.what();
  }
}

Facts devices() {
  const int threads = cores_available();
  return {{"auto", description({.threads = threads})},
          {"cpu", description({.device = "cpu", .threads = threads})},
          {"cpu in bf16", description({.device = "cpu", .precision = "bf16", .threads = threads})},
          {"cpu in int8", description({.device = "cpu", .precision = "int8", .threads = threads})},
          {"cuda", description({.device = "cuda"})},
          {"reference", description({.device = "reference"})}};
}

Facts libraries() {
  return {{"boost",
           fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
          {"icu", U_ICU_VERSION},
          {"libzip", zip_libzip_version()},
          {"lzma", lzma_version_string()},
          {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                        NLOHMANN_JSON_VERSION_PATCH)},
          {"sentencepiece", NMT_SENTENCEPIECE_VERSION},
          {"xxhash", fmt::format("{}.{}.{}", XXH_versionNumber() / 10000, XXH_versionNumber() / 100 % 100,
                                 XXH_versionNumber() % 100)},
          {"yaml-cpp", NMT_YAML_CPP_VERSION},
          {"zlib", zlibVersion()},
          {"zstd", ZSTD_versionString()}};
}

}  // namespace

Facts build_facts() {
  return {{"nmt", NMT_VERSION}, {"commit", NMT_COMMIT}, {"compiler", __VERSION__}, {"build", NMT_BUILD}};
}

Facts machine_facts() {
  Facts facts = build_facts();
  facts.update(Facts{{"processor", processor()},
                     {"instruction_sets", instruction_sets()},
                     {"threads", cores_available()},
                     {"memory_bytes", machine_bytes()},
                     {"memory_available_bytes", available_bytes()},
                     {"devices", devices()},
                     {"libraries", libraries()}});
  return facts;
}

}  // namespace nmt
