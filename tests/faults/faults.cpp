// A library to load before a program (LD_PRELOAD). It makes the k-th call of a kind fail, stop halfway, or
// kill the process:
//
//   NMT_FAULT=KIND:K:ACTION   strike at the K-th call of KIND, from 1; K+ strikes at it and at all later ones
//   NMT_FAULT_COUNT=FILE      write there at the end how many calls of each kind there were, a line
//                             "KIND NUMBER" for each
//   NMT_FAULT_TRACE=FILE      write there what puts files on the disk, in the order of the calls, a line
//                             "write FILE", "fsync FILE" or "rename FROM TO" for each
//
// KIND: read write open fsync rename link unlink mkdir mmap truncate thread, and for memory large (64 KiB and
// more) and small. ACTION is one of
//
//   ENOSPC       or another name of an error, with which the call fails
//   short        half a read or write
//   torn         half a write, then SIGKILL
//   kill         SIGKILL instead of the call
//   kill-after   SIGKILL after the call
//   vanish       the file of an mmap is truncated to nothing after the call
//
// Calls count between the beginning and the end of main(). Among files, only those below the working
// directory and standard input and output count, so that K does not depend on the machine.
#undef _FORTIFY_SOURCE  // which brings inline functions of the names below

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

enum Kind {
  kRead,
  kWrite,
  kOpen,
  kFsync,
  kRename,
  kLink,
  kUnlink,
  kMkdir,
  kMmap,
  kTruncate,
  kThread,
  kLarge,
  kSmall
};

constexpr std::array<std::string_view, kSmall + 1> kKinds = {"read",   "write",  "open",  "fsync", "rename",
                                                             "link",   "unlink", "mkdir", "mmap",  "truncate",
                                                             "thread", "large",  "small"};

constexpr std::size_t kLargeBytes = std::size_t{64} << 10;

enum class Action { fail, cut, tear, kill, kill_after, vanish };

struct Fault {
  int kind = -1;
  long first = 0;
  bool all_later = false;
  Action action = Action::fail;
  int error = 0;
};

/// The fault of a call.
enum class Order { pass, fail, cut };

Fault fault;
std::array<std::atomic<long>, kKinds.size()> calls;
std::atomic<bool> active = false;
std::array<std::atomic<bool>, 1024> is_watched;  // by file descriptor
std::array<char, PATH_MAX> working_directory;

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  while (true) ::pause();
}

[[noreturn]] void refuse(const char* what) {
  std::fprintf(stderr, "NMT_FAULT: %s\n", what);
  std::_Exit(99);
}

int error_named(std::string_view name) {
  for (int error = 1; error < 134; ++error) {
    const char* known = ::strerrorname_np(error);
    if (known != nullptr && name == known) return error;
  }
  refuse("no such action");
}

Fault parse(std::string_view text) {
  const std::size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) refuse("expected KIND:K:ACTION");
  Fault parsed;
  const std::string_view kind = text.substr(0, first), action = text.substr(second + 1);
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kind == kKinds[i]) parsed.kind = static_cast<int>(i);
  }
  if (parsed.kind < 0) refuse("no such kind");
  parsed.first = std::atol(text.data() + first + 1);
  parsed.all_later = text[second - 1] == '+';
  if (action == "short") {
    parsed.action = Action::cut;
  } else if (action == "torn") {
    parsed.action = Action::tear;
  } else if (action == "kill") {
    parsed.action = Action::kill;
  } else if (action == "kill-after") {
    parsed.action = Action::kill_after;
  } else if (action == "vanish") {
    parsed.action = Action::vanish;
  } else {
    parsed.error = error_named(action);
  }
  return parsed;
}

/// Counts a call, and injects the fault if it is the chosen one.
Order order_for(Kind kind) {
  if (!active) return Order::pass;
  const long number = ++calls[kind];
  if (kind != fault.kind || number < fault.first || (number > fault.first && !fault.all_later))
    return Order::pass;
  switch (fault.action) {
    case Action::kill:
      die();
    case Action::fail:
      errno = fault.error;
      return Order::fail;
    default:
      return Order::cut;
  }
}

/// Makes a call that cannot stop halfway, or returns `failure`.
template <class Result, class Call>
Result call_or_fail(Kind kind, Result failure, const Call& call) {
  const Order order = order_for(kind);
  if (order == Order::fail) return failure;
  const Result result = call();
  if (order == Order::cut && fault.action == Action::kill_after) die();
  return result;
}

/// Makes a call for `size` bytes in the same way.
template <class Call>
ssize_t transfer_or_fail(Kind kind, std::size_t size, const Call& call) {
  const Order order = order_for(kind);
  if (order == Order::fail) return -1;
  const bool half = order == Order::cut && fault.action != Action::kill_after;
  const ssize_t result = call(half ? (size + 1) / 2 : size);
  if (order == Order::cut && fault.action != Action::cut) die();
  return result;
}

/// Returns the function of this name in the next library.
template <class Function>
Function* original(Function* /*replaced*/, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool watched(const char* path) {
  return path[0] != '/' ||
         std::strncmp(path, working_directory.data(), std::strlen(working_directory.data())) == 0;
}

bool watched(int file) {
  return file >= 0 && static_cast<std::size_t>(file) < is_watched.size() &&
         is_watched[static_cast<std::size_t>(file)];
}

/// Opens a file, which counts if its path is watched.
template <class Call>
int open_or_fail(const char* path, const Call& call) {
  const bool counts = watched(path);
  const int file = counts ? call_or_fail(kOpen, -1, call) : call();
  if (file >= 0 && static_cast<std::size_t>(file) < is_watched.size())
    is_watched[static_cast<std::size_t>(file)] = counts;
  return file;
}

template <class Call>
void* allocate_or_fail(std::size_t size, const Call& call) {
  return call_or_fail<void*>(size >= kLargeBytes ? kLarge : kSmall, nullptr, call);
}

void make_empty(int file) {
  std::array<char, 32> name;
  std::snprintf(name.data(), name.size(), "/proc/self/fd/%d", file);
  if (original(::truncate, "truncate")(name.data(), 0) != 0) refuse("a mapped file cannot be truncated");
}

int trace = -1;  // descriptor of NMT_FAULT_TRACE

/// Adds a line to the trace with one write, since several threads may write.
void trace_line(const char* call, const char* file, const char* other = "") {
  if (trace < 0 || !active) return;
  std::array<char, 2 * PATH_MAX + 16> line;
  const int size =
      std::snprintf(line.data(), line.size(), "%s %s%s%s\n", call, file, *other == '\0' ? "" : " ", other);
  if (original(::write, "write")(trace, line.data(), static_cast<std::size_t>(size)) != size)
    refuse("cannot write the trace");
}

/// Adds a line about the file of a descriptor.
void trace_line(const char* call, int file) {
  if (trace < 0 || !active) return;
  std::array<char, 32> link;
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", file);
  std::array<char, PATH_MAX> path{};
  if (::readlink(link.data(), path.data(), path.size() - 1) > 0) trace_line(call, path.data());
}

void open_trace() {
  const char* path = std::getenv("NMT_FAULT_TRACE");
  if (path == nullptr) return;
  trace = ::openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (trace < 0) refuse("cannot write the trace");
}

void write_counts() {
  const char* path = std::getenv("NMT_FAULT_COUNT");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "we");
  if (file == nullptr) return;
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    std::fprintf(file, "%s %ld\n", kKinds[i].data(), calls[i].load());
  std::fclose(file);
}

using Main = int (*)(int, char**, char**);
Main program;

int counted_main(int argc, char** argv, char** environment) {
  if (const char* text = std::getenv("NMT_FAULT"); text != nullptr) fault = parse(text);
  ::unsetenv("LD_PRELOAD");
  if (::getcwd(working_directory.data(), working_directory.size()) == nullptr) refuse("no working directory");
  is_watched[STDIN_FILENO] = is_watched[STDOUT_FILENO] = true;
  open_trace();
  active = true;
  const int code = program(argc, argv, environment);
  active = false;
  write_counts();
  return code;
}

}  // namespace

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier): these are the names of the C library.

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                      void* stack) {
  program = main;
  return original(__libc_start_main, "__libc_start_main")(counted_main, argc, argv, init, fini, rtld_fini,
                                                          stack);
}

// Files.

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return open_or_fail(path, [&] { return ::openat(AT_FDCWD, path, flags, mode); });
}

std::FILE* fopen(const char* path, const char* mode) {
  const auto call = [&] { return original(fopen, "fopen")(path, mode); };
  return watched(path) ? call_or_fail<std::FILE*>(kOpen, nullptr, call) : call();
}

int mkstemp(char* path) {
  return open_or_fail(path, [&] { return original(mkstemp, "mkstemp")(path); });
}

DIR* opendir(const char* path) {
  const auto call = [&] { return original(opendir, "opendir")(path); };
  return watched(path) ? call_or_fail<DIR*>(kOpen, nullptr, call) : call();
}

ssize_t read(int file, void* data, std::size_t size) {
  const auto call = [&](std::size_t bytes) { return original(read, "read")(file, data, bytes); };
  return watched(file) ? transfer_or_fail(kRead, size, call) : call(size);
}

ssize_t pread(int file, void* data, std::size_t size, off_t offset) {
  const auto call = [&](std::size_t bytes) { return original(pread, "pread")(file, data, bytes, offset); };
  return watched(file) ? transfer_or_fail(kRead, size, call) : call(size);
}

ssize_t write(int file, const void* data, std::size_t size) {
  const auto call = [&](std::size_t bytes) { return original(write, "write")(file, data, bytes); };
  if (watched(file)) trace_line("write", file);
  return watched(file) ? transfer_or_fail(kWrite, size, call) : call(size);
}

int fsync(int file) {
  trace_line("fsync", file);
  return call_or_fail(kFsync, -1, [&] { return original(fsync, "fsync")(file); });
}

int truncate(const char* path, off_t size) noexcept {
  return call_or_fail(kTruncate, -1, [&] { return original(truncate, "truncate")(path, size); });
}

int ftruncate(int file, off_t size) noexcept {
  return call_or_fail(kTruncate, -1, [&] { return original(ftruncate, "ftruncate")(file, size); });
}

// Names of files.

int rename(const char* from, const char* to) noexcept {
  trace_line("rename", from, to);
  return call_or_fail(kRename, -1, [&] { return original(rename, "rename")(from, to); });
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  trace_line("rename", from, to);
  return call_or_fail(
      kRename, -1, [&] { return original(renameat2, "renameat2")(from_folder, from, to_folder, to, flags); });
}

int link(const char* from, const char* to) noexcept {
  return call_or_fail(kLink, -1, [&] { return original(link, "link")(from, to); });
}

int symlink(const char* from, const char* to) noexcept {
  return call_or_fail(kLink, -1, [&] { return original(symlink, "symlink")(from, to); });
}

int unlink(const char* path) noexcept {
  return call_or_fail(kUnlink, -1, [&] { return original(unlink, "unlink")(path); });
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  return call_or_fail(kUnlink, -1, [&] { return original(unlinkat, "unlinkat")(folder, path, flags); });
}

int remove(const char* path) noexcept {
  return call_or_fail(kUnlink, -1, [&] { return original(remove, "remove")(path); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  return call_or_fail(kMkdir, -1, [&] { return original(mkdir, "mkdir")(path, mode); });
}

// Memory and threads. The C library's own names are used where dlsym() would have to allocate.

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* data, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  return allocate_or_fail(size, [&] { return __libc_malloc(size); });
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  return allocate_or_fail(count * size, [&] { return __libc_calloc(count, size); });
}

void* realloc(void* data, std::size_t size) noexcept {
  return allocate_or_fail(size, [&] { return __libc_realloc(data, size); });
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return allocate_or_fail(size, [&] { return __libc_memalign(alignment, size); });
}

int posix_memalign(void** data, std::size_t alignment, std::size_t size) noexcept {
  *data = aligned_alloc(alignment, size);
  return *data == nullptr ? ENOMEM : 0;
}

void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  const bool vanishes = file >= 0 && fault.kind == kMmap && fault.action == Action::vanish;
  return call_or_fail(kMmap, MAP_FAILED, [&] {
    void* const mapped = original(mmap, "mmap")(address, size, protection, flags, file, offset);
    if (vanishes && calls[kMmap] == fault.first) make_empty(file);
    return mapped;
  });
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) noexcept {
  return call_or_fail(kThread, fault.error, [&] {
    return original(pthread_create, "pthread_create")(thread, attributes, run, argument);
  });
}

// Variants that know the size of the buffer, which compilers call with _FORTIFY_SOURCE.

ssize_t __read_chk(int file, void* data, std::size_t size, std::size_t /*room*/) {
  return read(file, data, size);
}

ssize_t __pread_chk(int file, void* data, std::size_t size, off_t offset, std::size_t /*room*/) {
  return pread(file, data, size, offset);
}

// Variants with 64-bit offsets, which some programs call.

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return open(path, flags, mode);
}
std::FILE* fopen64(const char* path, const char* mode) {
  return fopen(path, mode);
}
int mkstemp64(char* path) {
  return mkstemp(path);
}
ssize_t pread64(int file, void* data, std::size_t size, off64_t offset) {
  return pread(file, data, size, offset);
}
int truncate64(const char* path, off64_t size) noexcept {
  return truncate(path, size);
}
int ftruncate64(int file, off64_t size) noexcept {
  return ftruncate(file, size);
}
void* mmap64(void* address, std::size_t size, int protection, int flags, int file, off64_t offset) noexcept {
  return mmap(address, size, protection, flags, file, offset);
}

// NOLINTEND(bugprone-reserved-identifier)

}  // extern "C"
