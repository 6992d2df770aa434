#include "cli/options/common_options.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "cli/program.h"
#include "common/error.h"

namespace nmt {
namespace {

constexpr const char* kComputingGroup = "computing";

constexpr const char* kTrainingPrecisions =
    "number format for computing. The trained weights stay in f32. auto is f32 on the CPU and bf16 on a GPU. "
    "tf32 and f16 need a GPU.";
constexpr const char* kInferencePrecisions =
    "number format for computing. auto is bf16 on a GPU; on the CPU it is f32, or int8 if all models are "
    "stored in int8. tf32 and f16 need a GPU.";

void add_precision_option(Options& options, DeviceSettings& target, Work work) {
  Choices choices = {"auto", "f32", "tf32", "bf16", "f16"};
  if (work == Work::inference) choices.emplace_back("int8");
  options
      .add("precision", target.precision, "",
           work == Work::inference ? kInferencePrecisions : kTrainingPrecisions)
      .choices(std::move(choices))
      .group(kComputingGroup);
}

}  // namespace

void add_log_options(Options& options, LogOptions& target) {
  options.flag("quiet,q", target.quiet, "print only warnings and errors").transient().group(kGeneralGroup);
  options.flag("verbose,v", target.verbose, "print more details").transient().group(kGeneralGroup);
  options.add("log-file", target.log_file, "FILE", "file to which all messages are also appended")
      .writes()
      .transient()
      .group(kGeneralGroup);
  options.add("color", target.color, "", "whether messages have colors. auto uses colors only on a terminal.")
      .choices({"auto", "always", "never"})
      .transient()
      .group(kGeneralGroup);
}

void apply(const Options& options, const LogOptions& log) {
  if (log.quiet && log.verbose) {
    throw UsageError("{} and {} exclude each other; --no-quiet or --no-verbose turns one off",
                     options.origin("quiet"), options.origin("verbose"));
  }
  if (log.log_file == "-") {
    throw UsageError(
        "{}: messages already go to standard error, and cannot go to standard output; name a file",
        options.origin("log-file"));
  }
  program_log().set_level(log.quiet ? LogLevel::warning : log.verbose ? LogLevel::verbose : LogLevel::info);
  program_log().set_color(log.color);
  if (log.log_file) program_log().open_file(*log.log_file);
  for (const std::string& warning : options.idle()) log_warning("{}", warning);
}

bool parse_with_log_options(Options& options, const std::vector<std::string>& arguments, LogOptions& log) {
  add_log_options(options, log);
  if (!options.parse(arguments)) return false;
  apply(options, log);
  return true;
}

void add_device_options(Options& options, DeviceSettings& target, Work work, int cores) {
  constexpr int kMostThreads = 1024;
  target.threads = std::min(cores, kMostThreads);
  target.events = {.log = &program_log(), .on_hang = [](const std::string& error) { end_program(error); }};
  options.add("threads", target.threads, "N", "number of computing threads")
      .range(1, kMostThreads)
      .default_text(work == Work::training ? "cores available, divided by the ranks that share them"
                                           : "cores available")
      .idle_where([&target] { return target.device == "reference"; }, "the reference device has one thread")
      .group(kComputingGroup);
  options
      .add("device", target.device, "",
           std::string("device to compute on. cuda is the NVIDIA GPU cuda:0. auto is cuda if a GPU is "
                       "usable, else the CPU.") +
               (work == Work::training ? " Several GPUs share each update. Processes that see the same GPUs "
                                         "divide them among themselves."
                                       : ""))
      .choices({"auto", "cpu", "cuda", "reference"}, "cuda", work == Work::training)
      .group(kComputingGroup);
  add_precision_option(options, target, work);
  Choices instruction_sets = cpu_instruction_sets();
  instruction_sets.insert(instruction_sets.begin(), "auto");
  options
      .add(
          "cpu-isa", target.cpu_isa, "",
          "CPU instruction set. avx_vnni and avx512_vnni speed up int8, avx512_bf16 speeds up bf16, and amx "
          "both. On AArch64, the sets are neon, neon_dotprod and neon_i8mm for int8, and neon_bf16 for bf16. "
          "auto is the fastest that the CPU has.")
      .choices(std::move(instruction_sets))
      .only_where(
          [&target] { return target.device == "auto" || target.device == "cpu" || target.cpu_isa == "auto"; },
          "the CPU; leave it out, or give --device cpu")
      .group(kComputingGroup);
}

void add_streams_option(Options& options, DeviceSettings& target) {
  constexpr int kUsual = 2, kMost = 32;
  target.streams = kUsual;
  options
      .add("streams", target.streams, "N",
           "threads that use a GPU at the same time. Each has its own CUDA stream, so that the GPU stays "
           "busy while another thread prepares its input. Not for the CPU. It does not change results.")
      .range(1, kMost)
      .only_where(
          [&target] {
            return target.device == "auto" || target.device.starts_with("cuda") || target.streams <= kUsual;
          },
          "a GPU; leave it out, or give --device cuda")
      .idle_where([&target] { return target.device == "auto" && best_device(target) == "cpu"; },
                  "this machine has no GPU that nmt can use")
      .group(kComputingGroup);
}

void add_seed_option(Options& options, std::uint64_t& target) {
  options.add("seed", target, "N", "seed of all random numbers")
      .range(0, std::numeric_limits<std::uint32_t>::max())
      .group(kComputingGroup);
}

}  // namespace nmt
