#include "data/vocabulary/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include "common/error.h"
#include "common/file_descriptor.h"
#include "common/process/signals.h"

namespace nmt {
namespace {

/// A child process that is ended with this object, whatever happens.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  ~Child() {
    if (id_ < 0) return;
    ::kill(id_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits for its status, as waitpid gives it.
  int wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) continue;
    id_ = -1;
    return status;
  }

 private:
  pid_t id_;
};

[[noreturn]] void run_as_child(const std::function<std::string()>& work, pid_t parent,
                               const FileDescriptor& pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (const int signal : end_signals()) std::signal(signal, SIG_DFL);
  std::signal(SIGALRM, SIG_DFL);
  const FileDescriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  ::dup2(nowhere.get(), STDERR_FILENO);
  try {
    const std::string output = work();
    write_all(pipe, output.data(), output.size(), "a pipe");
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

std::string read_all(const FileDescriptor& pipe, const std::function<void()>& waiting,
                     const StopRequest& stop) {
  constexpr int kMilliseconds = 100;
  std::string all;
  std::array<char, 65536> buffer{};
  while (true) {
    for (pollfd ready{pipe.get(), POLLIN, 0}; ::poll(&ready, 1, kMilliseconds) <= 0;) {
      stop.check();
      waiting();
    }
    const ssize_t got = ::read(pipe.get(), buffer.data(), buffer.size());
    stop.check();
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error("cannot read from a process: {}", system_message(errno));
    if (got == 0) return all;
    all.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

ChildResult run_in_child(const std::function<std::string()>& work, const std::function<void()>& waiting,
                         const StopRequest& stop) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("cannot start a process: {}", system_message(errno));
  const FileDescriptor from(ends[0]);
  FileDescriptor to(ends[1]);
  std::fflush(nullptr);  // so that buffered output is written only once
  const pid_t parent = ::getpid();
  const pid_t id = ::fork();
  if (id < 0) throw Error("cannot start a process: {}", system_message(errno));
  if (id == 0) run_as_child(work, parent, to);
  Child child(id);
  to = FileDescriptor();
  ChildResult result;
  result.output = read_all(from, waiting, stop);
  const int status = child.wait();
  result.finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return result;
}

}  // namespace nmt
