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
    "type of numbers to compute with; bf16 and f16 keep sums and the weights that are trained in f32; tf32 "
    "is f32 whose matrix products round what they multiply; tf32 and f16 are for cards; auto: f32 on the "
    "CPU, bf16 on cards";
constexpr const char* kInferencePrecisions =
    "type of numbers to compute with; bf16 and f16 keep sums in f32; int8 has matrix products of 8 bits and "
    "all else in f32; tf32 is f32 whose matrix products round what they multiply; int8 is for the CPU, tf32 "
    "and f16 are for cards; auto: f32 on the CPU, or int8 where all models are stored in it, bf16 on cards";

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
  options.flag("quiet,q", target.quiet, "say nothing but warnings and errors")
      .transient()
      .group(kGeneralGroup);
  options.flag("verbose,v", target.verbose, "say more").transient().group(kGeneralGroup);
  options.add("log-file", target.log_file, "FILE", "append all messages to this file as well")
      .writes()
      .transient()
      .group(kGeneralGroup);
  options.add("color", target.color, "", "colour of messages; auto: on a terminal only")
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
    throw UsageError("{}: messages go to standard error as it is, and not to standard output; name a file",
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
  options.add("threads", target.threads, "N", "threads to compute with")
      .range(1, kMostThreads)
      .default_text(work == Work::training ? "cores available, divided by the ranks that share them"
                                           : "cores available")
      .idle_where([&target] { return target.device == "reference"; }, "the reference device has one thread")
      .group(kComputingGroup);
  options
      .add("device", target.device, "",
           std::string(
               "where to compute; cuda is the NVIDIA card cuda:0; auto: that, where it can be used, else "
               "the CPU") +
               (work == Work::training ? "; several cards share each update, and processes that see the same "
                                         "cards share those out"
                                       : ""))
      .choices({"auto", "cpu", "cuda", "reference"}, "cuda", work == Work::training)
      .group(kComputingGroup);
  add_precision_option(options, target, work);
  Choices instruction_sets = cpu_instruction_sets();
  instruction_sets.insert(instruction_sets.begin(), "auto");
  options
      .add("cpu-isa", target.cpu_isa, "",
           "instruction set of the CPU; avx_vnni and avx512_vnni are for int8, avx512_bf16 is for bf16, amx "
           "is for both; auto: the best it has")
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
           "threads that drive a card at the same time, each with a stream of its own, so that it goes on "
           "while "
           "one of them reads; not for the CPU; no effect on the result")
      .range(1, kMost)
      .only_where(
          [&target] {
            return target.device == "auto" || target.device.starts_with("cuda") || target.streams <= kUsual;
          },
          "a card; leave it out, or give --device cuda")
      .group(kComputingGroup);
}

void add_seed_option(Options& options, std::uint64_t& target) {
  options.add("seed", target, "N", "seed of all random numbers")
      .range(0, std::numeric_limits<std::uint32_t>::max())
      .group(kComputingGroup);
}

}  // namespace nmt
