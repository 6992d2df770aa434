// Files of src/serve/assets, embedded in the program.
#pragma once

#include <string_view>

namespace nmt {

/// The bytes of src/serve/assets/NAME. Throws Error when there is no such file.
std::string_view serve_asset(std::string_view name);

}  // namespace nmt
