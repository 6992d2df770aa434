#include "common/process/plugin.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <cstring>

#include "build_id.h"
#include "common/error.h"

namespace nmt {
namespace {

using Path = std::filesystem::path;

/// Returns the folder of the file that contains this code: the program, or a library that a program has
/// loaded.
Path folder_of_this_file() {
  static const char place = 0;
  Dl_info info;
  void* map = nullptr;  // the program itself has no name
  if (dladdr1(&place, &info, &map, RTLD_DL_LINKMAP) != 0) {
    if (const std::string name = static_cast<link_map*>(map)->l_name; !name.empty()) {
      return Path(name).parent_path();
    }
  }
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

std::array<Path, 2> places(const Path& folder) {
  const Path program = folder.empty() ? folder_of_this_file() : folder;
  return {program / "lib", (program / "../lib/nmt").lexically_normal()};
}

}  // namespace

Path find_plugin(const std::string& file, const Path& folder) {
  for (const Path& place : places(folder)) {
    std::error_code not_there;
    if (std::filesystem::exists(place / file, not_there)) return place / file;
  }
  return {};
}

std::string plugin_places(const Path& folder) {
  const auto [beside, installed] = places(folder);
  return fmt::format("{} nor in {}", beside.string(), installed.string());
}

void* open_plugin(const Path& library, const char* what, const char* build, const char* symbol) {
  void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) throw UsageError("{} cannot be opened: {}", what, dlerror());
  const auto* const its_build = static_cast<const char*>(dlsym(opened, build));
  void* const found = dlsym(opened, symbol);
  if (its_build == nullptr || found == nullptr || std::strcmp(its_build, NMT_BUILD_ID) != 0) {
    throw UsageError("{} is of another build of nmt ({}; this one is {}): install both together",
                     library.string(), its_build == nullptr ? "none that is known" : its_build, NMT_BUILD_ID);
  }
  return found;
}

}  // namespace nmt
