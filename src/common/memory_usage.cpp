#include "common/memory_usage.h"

#include <unistd.h>

#include <fstream>
#include <string>

namespace nmt {

std::size_t resident_bytes() {
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t machine_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t available_bytes() {
  std::ifstream info("/proc/meminfo");
  for (std::string name; info >> name; info.ignore(256, '\n')) {
    std::size_t kibibytes = 0;
    if (name == "MemAvailable:" && info >> kibibytes) return kibibytes << 10;
  }
  return machine_bytes() / 2;
}

}  // namespace nmt
