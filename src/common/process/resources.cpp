#include "common/process/resources.h"

#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <new>
#include <optional>
#include <thread>

namespace nmt {

int cores_available() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::int64_t allow_open_files(std::int64_t count) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kMost;
  const auto wanted = static_cast<rlim_t>(count);
  if (limit.rlim_cur < wanted && limit.rlim_cur < limit.rlim_max) {
    rlimit raised{.rlim_cur = std::min(wanted, limit.rlim_max), .rlim_max = limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, kMost));
}

namespace {

/// The files of a version of control groups that describe memory.
struct GroupFiles {
  const char* folder;         // parent of all groups
  const char *limit, *usage;  // names of files in the folder of a group
  const char* prefix;         // prefix in memory.stat of totals that include subgroups
};

constexpr GroupFiles kVersion1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_"};
constexpr GroupFiles kVersion2 = {"/sys/fs/cgroup", "memory.max", "memory.current", ""};

/// Reads the number in a file; none if there is no such file, or it says "max".
std::optional<std::size_t> number_in(const std::string& path) {
  std::size_t number = 0;
  if (std::ifstream(path) >> number) return number;
  return std::nullopt;
}

/// Reads the number after a name in a file of lines "NAME: NUMBER kB".
std::optional<std::size_t> kibibytes_in(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string word; file >> word; file.ignore(4096, '\n')) {
    std::size_t number = 0;
    if (word == name && file >> number) return number;
  }
  return std::nullopt;
}

/// Returns the bytes of cached files of a group, which the system can release.
std::size_t kept_files(const std::string& path, const std::string& prefix) {
  std::size_t sum = 0, bytes = 0;
  std::ifstream statistics(path);
  for (std::string name; statistics >> name >> bytes;) {
    if (name == prefix + "active_file" || name == prefix + "inactive_file") sum += bytes;
  }
  return sum;
}

/// Returns the bytes that one group allows.
std::size_t left_by_group(const std::string& folder, const GroupFiles& files) {
  const auto limit = number_in(folder + "/" + files.limit), usage = number_in(folder + "/" + files.usage);
  if (!limit || !usage) return std::numeric_limits<std::size_t>::max();
  const std::size_t used = *usage - std::min(*usage, kept_files(folder + "/memory.stat", files.prefix));
  return *limit - std::min(*limit, used);
}

/// Returns the bytes that a group and its parents allow. A container may see the name that its group has
/// outside; missing folders are ignored.
std::size_t left_by_groups(const std::string& root, const std::string& group, const GroupFiles& files) {
  const std::string all = root + files.folder;
  std::size_t left = left_by_group(all, files);
  for (std::string folder = all + group; folder.size() > all.size() + 1; folder.resize(folder.rfind('/')))
    left = std::min(left, left_by_group(folder, files));
  return left;
}

/// Returns the bytes that all groups of this process allow. The line of the process is "0::GROUP" for version
/// 2, and for memory in version 1 "NUMBER:CONTROLLERS:GROUP" with memory as one of the controllers.
std::size_t left_by_groups(const std::string& root) {
  std::size_t left = std::numeric_limits<std::size_t>::max();
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") left = std::min(left, left_by_groups(root, group, kVersion2));
    if (controllers.find(",memory,") != std::string::npos) {
      left = std::min(left, left_by_groups(root, group, kVersion1));
    }
  }
  return left;
}

/// Returns the bytes that a limit of this process allows in addition to its usage, which a line of
/// /proc/self/status contains.
std::size_t left_by_limit(const std::string& root, int resource, const char* usage) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::size_t>::max();
  const std::size_t used = kibibytes_in(root + "/proc/self/status", usage).value_or(0) << 10;
  return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, used);
}

/// Returns the bytes allowed by the limits of address space and data, which cluster schedulers set.
std::size_t left_by_limits(const std::string& root) {
  return std::min(left_by_limit(root, RLIMIT_AS, "VmSize:"), left_by_limit(root, RLIMIT_DATA, "VmData:"));
}

std::size_t available_on_machine(const std::string& root) {
  const auto kibibytes = kibibytes_in(root + "/proc/meminfo", "MemAvailable:");
  return kibibytes ? *kibibytes << 10 : machine_bytes() / 2;
}

}  // namespace

std::size_t resident_bytes() {
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t peak_resident_bytes() {
  return kibibytes_in("/proc/self/status", "VmHWM:").value_or(0) << 10;
}

std::size_t machine_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t available_bytes(const std::string& root) {
  return std::min({available_on_machine(root), left_by_groups(root), left_by_limits(root)});
}

void require_address_space(std::size_t bytes) {
  void* const space =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) throw std::bad_alloc();
  munmap(space, bytes);
}

void keep_little_freed_memory() {
  // Without the second limit, every block above 128 KiB would be a mapping of its own.
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

void return_freed_memory() {
  malloc_trim(0);
}

}  // namespace nmt
