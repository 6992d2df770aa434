#include "pictures/program.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "common/error.h"
#include "common/io/file_descriptor.h"

namespace nmt {
namespace {

/// A file in memory, so that nobody waits for the other end of a pipe.
FileDescriptor memory_file() {
  FileDescriptor file(::memfd_create("nmt", MFD_CLOEXEC));
  if (!file) throw Error("cannot start a program: {}", std::strerror(errno));
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

/// The exit code, as a shell tells it. What ends this work ends the program too.
int wait_for(pid_t id, const StopRequest& stop) {
  int status = 0;
  while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
    if (stop.pending() == 0) continue;
    ::kill(id, SIGKILL);
    while (::waitpid(id, &status, 0) < 0 && errno == EINTR) continue;
    stop.check();
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments, std::string_view input,
                          const StopRequest& stop) {
  const FileDescriptor in = memory_file(), out = memory_file(), err = memory_file();
  write_all(in, input.data(), input.size(), "memory");
  ::lseek(in.get(), 0, SEEK_SET);

  posix_spawn_file_actions_t streams{};
  ::posix_spawn_file_actions_init(&streams);
  ::posix_spawn_file_actions_adddup2(&streams, in.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&streams, out.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&streams, err.get(), STDERR_FILENO);
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_t id = -1;
  const int failure = ::posix_spawnp(&id, words[0], &streams, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&streams);
  if (failure == ENOENT) return {};
  if (failure != 0) throw Error("cannot start '{}': {}", arguments[0], std::strerror(failure));

  ProgramResult result{.found = true};
  result.status = wait_for(id, stop);
  result.output = contents(out);
  result.errors = contents(err);
  result.errors.resize(std::min(result.errors.find('\n'), result.errors.size()));
  return result;
}

}  // namespace nmt
