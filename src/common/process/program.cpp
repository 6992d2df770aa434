#include "common/process/program.h"

#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "common/error.h"
#include "common/file_descriptor.h"

namespace nmt {
namespace {

/// Returns a file in memory, so that nobody waits for the other end of a pipe.
FileDescriptor memory_file() {
  FileDescriptor file(::memfd_create("nmt", MFD_CLOEXEC));
  if (!file) throw Error("cannot start a program: {}", system_message(errno));
  return file;
}

std::string contents(const FileDescriptor& file) {
  ::lseek(file.get(), 0, SEEK_SET);
  std::string all;
  std::array<char, 65536> buffer{};
  for (ssize_t got = 0; (got = ::read(file.get(), buffer.data(), buffer.size())) > 0;) {
    all.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return all;
}

/// Whether the process has ended; it stays a zombie, so that its number is not reused.
bool has_ended(pid_t id) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(id), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

/// Waits a moment, or until a signal comes.
void wait_a_moment() {
  constexpr int kMilliseconds = 10;
  ::poll(nullptr, 0, kMilliseconds);
}

/// Ends a program and everything that it has started (its process group), by force if they do not end soon.
void end_group(pid_t id) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  ::kill(-id, SIGTERM);
  while (!has_ended(id) && std::chrono::steady_clock::now() < patience) wait_a_moment();
  ::kill(-id, SIGKILL);
}

std::int64_t size_of(const FileDescriptor& file) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 ? status.st_size : 0;
}

/// Waits for the program and sets its exit code, as in a shell. Ends it if this work is asked to stop, or if
/// it exceeds its limits.
void wait_for(pid_t id, const StopRequest& stop, const ProgramSettings& settings,
              const std::array<const FileDescriptor*, 2>& written, ProgramResult& result) {
  const auto begin = std::chrono::steady_clock::now();
  int signal = 0;
  while (!has_ended(id) && signal == 0 && !result.timed_out && !result.is_endless) {
    wait_a_moment();
    signal = stop.pending();
    result.timed_out =
        settings.timeout.count() > 0 && std::chrono::steady_clock::now() - begin > settings.timeout;
    for (const FileDescriptor* file : written) result.is_endless |= size_of(*file) > settings.most_output;
  }
  if (signal != 0 || result.timed_out || result.is_endless) end_group(id);
  int status = 0;
  pid_t ended = -1;
  do ended = ::waitpid(id, &status, 0);
  while (ended < 0 && errno == EINTR);
  if (signal != 0) throw Interrupted(signal);
  if (ended < 0) throw Error("cannot find out how a program ended: {}", system_message(errno));
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Starts a program with these streams, in its own process group. Returns an errno, or 0 on success.
int start(const std::vector<std::string>& arguments, const std::array<int, 3>& streams, pid_t& id) {
  posix_spawn_file_actions_t files{};
  ::posix_spawn_file_actions_init(&files);
  for (int i = 0; i < 3; ++i)
    ::posix_spawn_file_actions_adddup2(&files, streams.at(static_cast<std::size_t>(i)), i);
  ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  sigset_t usual;  // signals that this process ignores
  ::sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::sigaddset(&usual, signal);
  posix_spawnattr_t attributes{};
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);

  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const int failure = ::posix_spawnp(&id, words[0], &files, &attributes, words.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return failure;
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments, std::string_view input,
                          const StopRequest& stop, const ProgramSettings& settings) {
  const FileDescriptor in = memory_file(), out = memory_file(), err = memory_file();
  write_all(in, input.data(), input.size(), "memory");
  ::lseek(in.get(), 0, SEEK_SET);
  const int errors = settings.standard_error == StandardError::kept ? err.get() : STDERR_FILENO;
  pid_t id = -1;
  const int failure = start(arguments, {in.get(), out.get(), errors}, id);
  if (failure == ENOENT) return {};
  if (failure != 0) throw Error("cannot start '{}': {}", arguments[0], system_message(failure));

  ProgramResult result{.found = true};
  wait_for(id, stop, settings, {&out, &err}, result);
  if (result.is_endless) return result;
  result.output = contents(out);
  result.errors = contents(err);
  result.errors.resize(std::min(result.errors.find('\n'), result.errors.size()));
  return result;
}

}  // namespace nmt
