#include "cuda_emulator/place.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>

namespace simt {
namespace {

struct Range {
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
  bool holds(const void* p) const {
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    return at >= begin && at < end;
  }
};

/// Called for each loaded object: stores the addresses of the one that contains this function.
int find_own(dl_phdr_info* object, std::size_t, void* result) {
  Range range;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    range.begin = std::min<std::uintptr_t>(range.begin, object->dlpi_addr + segment.p_vaddr);
    range.end = std::max<std::uintptr_t>(range.end, object->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  if (!range.holds(reinterpret_cast<const void*>(&find_own))) return 0;
  *static_cast<Range*>(result) = range;
  return 1;
}

Range own_range() {
  Range range;
  dl_iterate_phdr(find_own, &range);
  return range;
}

/// Calls binutils, which take a while.
std::string look_up(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "?";
  char command[4096], line[512] = "";
  std::snprintf(command, sizeof command, "addr2line -Cfpse '%s' 0x%tx", info.dli_fname,
                static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase));
  if (FILE* pipe = popen(command, "r")) {
    if (std::fgets(line, sizeof line, pipe) == nullptr) line[0] = 0;
    pclose(pipe);
  }
  std::string text = line;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

bool in_program(const void* address) {
  static const Range program = own_range();
  return program.holds(address);
}

std::string place(const void* address) {
  static auto& known = *new std::map<const void*, std::string>;
  auto found = known.find(address);
  if (found == known.end()) found = known.emplace(address, look_up(address)).first;
  return found->second;
}

}  // namespace simt
