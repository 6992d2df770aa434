// Files of src/serve/assets, embedded in the program.
#pragma once

#include <string_view>

namespace nmt {

/// Returns the contents of src/serve/assets/NAME. Throws Error if there is no such file.
std::string_view serve_asset(std::string_view name);

}  // namespace nmt
