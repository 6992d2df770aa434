// Libraries of the same build that the program loads at run time.
#pragma once

#include <filesystem>
#include <string>

namespace nmt {

/// Returns the path of the library `file` below `folder` (empty: the folder of this program, or of libnmt if
/// that contains this code): lib/ there, or ../lib/nmt/ after installation. Empty if it is in neither.
std::filesystem::path find_plugin(const std::string& file, const std::filesystem::path& folder = {});

/// Returns the two places searched, for messages.
std::string plugin_places(const std::filesystem::path& folder = {});

/// Loads a library, which is never unloaded, and returns its `symbol`. Throws UsageError that names `what`
/// ("the CUDA backend") if it cannot be loaded, or if `build`, the name of a const char[] in it, is not
/// NMT_BUILD_ID, as C++ objects pass between program and library.
void* open_plugin(const std::filesystem::path& library, const char* what, const char* build,
                  const char* symbol);

}  // namespace nmt
