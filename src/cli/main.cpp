// nmt: finds the subcommand, runs it, and converts exceptions to exit codes.
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>

#include "cli/commands/facts.h"
#include "cli/options/help/help.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/file_descriptor.h"
#include "common/io/memory_map.h"
#include "common/io/temporary_name.h"
#include "common/process/signals.h"
#include "common/text/spelling.h"
#include "ranks/launched_ranks.h"

namespace nmt {
namespace {

std::string overview() {
  std::string text = "nmt " NMT_VERSION ": neural machine translation\n\nusage: nmt <subcommand> [options]\n";
  std::string_view group;
  for (const Command& command : commands()) {
    if (command.group != group) text += fmt::format("\n{}:\n", command.group);
    group = command.group;
    text += fmt::format("  {:<10} {}\n", command.name, command.summary);
  }
  return text +
         "\nnmt COMMAND -h shows the most used options, nmt COMMAND --help all of them; nmt --version prints "
         "the version\n";
}

/// Names of subcommands in other toolkits, and likely guesses, with the subcommand that does the same.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"decode", "translate"},      {"decoder", "translate"},   {"generate", "translate"},
    {"infer", "translate"},       {"inference", "translate"}, {"predict", "translate"},
    {"interactive", "translate"}, {"evaluate", "bleu"},       {"eval", "bleu"},
    {"sacrebleu", "bleu"},        {"chrf", "bleu"},           {"scorer", "score"},
    {"rescore", "score"},         {"perplexity", "score"},    {"server", "serve"},
    {"preprocess", "batch"},      {"prepare", "batch"},       {"binarize", "batch"},
    {"build-vocab", "vocab"},     {"spm", "vocab"},           {"spm-train", "vocab"},
    {"finetune", "train"},        {"fine-tune", "train"},     {"trainer", "train"},
    {"export", "convert"},        {"quantize", "convert"},    {"import", "convert"},
    {"version", "--version"},
};

/// Returns a suggestion for an unknown subcommand, or nothing.
std::string suggestion(const std::string& name, const std::vector<std::string>& names) {
  const auto* const other =
      std::ranges::find(kOtherNames, dashed(name), &std::pair<std::string_view, std::string_view>::first);
  if (other == std::end(kOtherNames)) return did_you_mean(name, names);
  return fmt::format(", did you mean '{}'?", other->second);
}

const Command& find_command(const std::string& name) {
  if (name.starts_with('-')) {
    const std::string meant = did_you_mean(name, {"--help", "--version"});
    throw UsageError("unknown option {}{}", quoted(name),
                     meant.empty() ? "; nmt --help lists the subcommands, which take options" : meant);
  }
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (name == command.name) return command;
    names.emplace_back(command.name);
  }
  const std::string meant = suggestion(name, names);
  throw UsageError("unknown subcommand {}{}", quoted(name),
                   meant.empty() ? "; nmt --help lists the subcommands" : meant);
}

void print_version(const Arguments& options) {
  if (options.empty()) {
    write_output("nmt " NMT_VERSION "\n");
  } else if (options.size() == 1 && options[0] == "--verbose") {
    write_output(facts_text(build_facts()));
  } else {
    throw UsageError("--version takes only --verbose, not {}", quoted(options[0]));
  }
}

/// Warns if several processes each do the whole work, which is hardly intended.
void warn_of_launcher() {
  const std::optional<Launch> launch = find_launch();
  if (!launch || launch->rank > 0) return;
  log_warning("{} has started {} processes, each of which does all of the work: only nmt train divides it",
              launch->launcher, launch->ranks);
}

/// Advice for using less memory in the current subcommand.
const char* less_memory = "";

const char* what_takes_less(const Command& command) {
  if (command.run == run_train) return "; lower --micro-batch-tokens, or train a smaller model";
  if (command.run == run_serve)
    return "; use smaller batches (--batch-tokens), fewer answers that are kept (--cache) or fewer models "
           "at a time (--memory)";
  const bool has_batches = command.run == run_translate || command.run == run_score;
  return has_batches ? "; use smaller batches (--batch-tokens) or a smaller model" : "";
}

/// Throws Error if the stacks of threads are too small, which would end the program without a message.
void check_stack_limit() {
  constexpr rlim_t kLeast = rlim_t{256} << 10;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kLeast) return;
  throw Error("the stack limit is {} KiB, but nmt needs {} KiB; raise it: ulimit -s 8192",
              limit.rlim_cur >> 10, kLeast >> 10);
}

int run(const Arguments& arguments) {
  check_stack_limit();
  const bool asks_help =
      arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help";
  if (asks_help) {
    if (arguments.size() > 1) return find_command(arguments[1]).run({"--help"});
    write_output(overview());
    return 0;
  }
  if (arguments[0].starts_with("--help=")) {
    print_program_help(arguments[0].substr(arguments[0].find('=') + 1));
    return 0;
  }
  if (arguments[0] == "--version" || arguments[0] == "-V") {
    print_version({arguments.begin() + 1, arguments.end()});
    return 0;
  }
  const Command& command = find_command(arguments[0]);
  less_memory = what_takes_less(command);
  if (command.run != run_train) warn_of_launcher();
  return command.run({arguments.begin() + 1, arguments.end()});
}

/// Whether a character is a control character: file names may contain them, messages must not.
bool is_control(unsigned char c) {
  return c < ' ' || c == 0x7F;
}

/// Reports why the work ends, and which results are kept.
void tell(std::string_view error) {
  std::string text = std::string(error) + kept_note();
  std::ranges::replace_if(text, is_control, ' ');
  program_log().line(LogLevel::error, text);
}

/// Reports that memory is insufficient, without allocating any.
void tell_out_of_memory() {
  static std::array<char, PATH_MAX + 256> text;
  std::snprintf(text.data(), text.size(), "out of memory%s%s", less_memory, kept_note());
  program_log().line(LogLevel::error, text.data());
}

/// Reports the exception that is being handled; returns its exit code.
int report_exception() {
  try {
    throw;
  } catch (const Interrupted& interrupted) {
    if (*kept_note() != '\0') log_warning("ended by a signal{}", kept_note());
    return 128 + interrupted.signal();
  } catch (const OutputClosed&) {
    return 128 + SIGPIPE;
  } catch (const UsageError& error) {
    tell(error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    tell_out_of_memory();
  } catch (const std::filesystem::filesystem_error& error) {
    tell(fmt::format("cannot use '{}': {}", error.path1().string(), error.code().message()));
  } catch (const std::system_error& error) {
    const bool is_thread =
        error.code() == std::errc::resource_unavailable_try_again;  // thrown by std::thread
    tell(is_thread ? fmt::format("cannot start a thread: {}; use fewer --threads", error.code().message())
                   : fmt::format("the system refuses: {}", error.what()));
  } catch (const Error& error) {
    tell(error.what());
  } catch (const std::exception& error) {  // from a library, with a message for programmers
    log_verbose("{}", error.what());
    tell("internal error of nmt; please report it with the output of --verbose");
  }
  return 1;
}

/// Called by operator new if memory is insufficient. Does not throw, as libraries crash when an exception
/// passes through them.
[[noreturn]] void end_without_memory() {
  remove_temporary_files();
  tell_out_of_memory();
  end_at_once(1);
}

/// Called on SIGBUS: a memory-mapped file was truncated while it was read, or its disk failed. If nmt mapped
/// the file, its reader continues with zeros and reports the error.
void mend_or_end(int /*signal*/, siginfo_t* fault, void* /*context*/) {
  const int error = errno;
  const bool is_mended = mend_mapping(fault->si_addr);
  errno = error;
  if (is_mended) return;
  static std::atomic_flag is_told = ATOMIC_FLAG_INIT;
  while (is_told.test_and_set()) ::pause();  // if several threads get here, one ends the program
  remove_temporary_files();
  std::array<char, PATH_MAX + 256> memory{};
  const std::string_view path = path_mapped_at(fault->si_addr, memory);
  std::ranges::replace_if(memory, is_control, ' ');
  const std::string_view quote = path.empty() ? "" : "'";
  const std::array<std::string_view, 7> parts = {
      "error: ",
      quote,
      path.empty() ? "a file" : path,
      quote,
      " could not be read on: it was truncated meanwhile, or its disk fails",
      kept_note(),
      "\n"};
  for (const std::string_view part : parts) try_write(STDERR_FILENO, part);
  end_at_once(1);
}

/// Turns reading beyond the end of a mapped file into an error.
void watch_mapped_files() {
  struct sigaction action {};
  action.sa_sigaction = mend_or_end;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace
}  // namespace nmt

int main(int argc, char** argv) {
  // A closed pipe and a limit of file sizes become errors of write, so that everything is cleaned up.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  nmt::watch_mapped_files();
  std::set_new_handler(nmt::end_without_memory);
  const nmt::InterruptGuard guard;
  try {
    return nmt::run({argv + 1, argv + argc});
  } catch (...) {
    return nmt::report_exception();
  }
}
