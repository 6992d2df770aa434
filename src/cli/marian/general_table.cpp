// The options of every Marian program.
#include "cli/marian/conversion.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

void convert_log(MarianConversion& to) {
  for (const std::string& path : to.paths("log")) to.give("log-file", path);
}

/// Converts all quiet levels to --quiet, and debugging levels to --verbose.
void convert_log_level(MarianConversion& to) {
  const std::string level = to.text("log-level");
  const bool is_quiet = to.is_on("quiet") || to.is_on("quiet-translation");
  if (level == "trace" || level == "debug") to.give("verbose", is_quiet ? "false" : "true");
  if (is_quiet || level.starts_with("warn") || level.starts_with("err") || level == "critical" ||
      level == "off") {
    to.give("quiet", "true");
  }
}

/// Converts the numbers of GPUs, or the threads of the CPU; without either, uses what is available.
void convert_devices(MarianConversion& to) {
  if (to.number("cpu-threads") > 0) {
    to.give_from("cpu-threads", "device", "cpu");
    to.give_from("cpu-threads", "threads", to.text("cpu-threads"));
  } else if (to.is_given()) {
    to.give("device", "cuda:" + join(to.texts("devices"), ","));
  } else {
    constexpr double kMost = 1024;
    const double count = to.number("num-devices");
    if (count > kMost) to.fail("num-devices", fmt::format("expected at most {}", kMost));
    std::string first = "cuda:0";
    for (int gpu = 1; gpu < count; ++gpu) first += fmt::format(",{}", gpu);
    if (count > 1) to.give_from("num-devices", "device", first);
  }
}

/// The first of Marian's types is the type for computing.
void convert_precision(MarianConversion& to) {
  const std::string type = to.is_on("fp16") ? "float16" : to.text("precision");
  const std::string gemm = to.text("gemm-type");
  const bool is_int8 = gemm.starts_with("packed8") || gemm.starts_with("intgemm8") ||
                       to.text("gemm-precision").starts_with("int8");
  if (is_int8) {
    to.give("precision", "int8");
  } else if (type == "float16" && to.is_on_cpu()) {
    if (!to.is_overridden({"precision"}))
      to.note(to.is_on("fp16") ? "fp16" : "precision",
              "f16 is for GPUs; the CPU computes in f32, or as --precision says");
  } else if (type == "float16") {
    to.give("precision", "f16");
  } else if (type != "float32") {
    to.refuse("types are float32 and float16");
  } else if (to.is_given()) {
    to.give("precision", "f32");
  }
}

}  // namespace

const MarianOptions& marian_general_options() {
  static const MarianOptions table = {
      elsewhere("help"),
      elsewhere("version"),
      elsewhere("authors"),
      elsewhere("cite"),
      elsewhere("build-info"),
      elsewhere("config", {"marian-config"}),
      elsewhere("dump-config"),
      elsewhere("workspace"),
      converted("log", "", {"log-file"}, convert_log),
      converted("log-level", "info", {"quiet", "verbose"}, convert_log_level),
      idle("log-time-zone", ""),
      part("quiet", "false", {"quiet"}),
      idle("check-nan", "false"),
      needed("interpolate-env-vars", "false"),
      elsewhere("relative-paths"),
      converted("devices", "0", {"device"}, convert_devices),
      part("num-devices", "0", {"device"}),
      part("cpu-threads", "0", {"device", "threads"}),
      converted("precision", "float32 float32", {"precision"}, convert_precision),
      part("fp16", "false", {"precision"}),
      idle("data-threads", "8")};
  return table;
}

}  // namespace nmt
