// Libraries of the same build that the program opens at run time.
#pragma once

#include <filesystem>
#include <string>

namespace nmt {

/// The path of the library `file` of the program in `folder` (empty: of this one, or of libnmt where that
/// holds this code): in lib/ there, or in ../lib/nmt/, where it is installed. Empty where it is in neither.
std::filesystem::path find_plugin(const std::string& file, const std::filesystem::path& folder = {});

/// The two places, for messages.
std::string plugin_places(const std::filesystem::path& folder = {});

/// Opens a library, which is never closed, and returns what it calls `symbol`. Throws UsageError that speaks
/// of `what` ("the CUDA backend") where it cannot be opened, or where `build`, the name of a const char[] in
/// it, is not NMT_BUILD_ID: objects of C++ pass between program and library.
void* open_plugin(const std::filesystem::path& library, const char* what, const char* build,
                  const char* symbol);

}  // namespace nmt
