// Style sheets and scripts of pages, embedded in the program.
#pragma once

#include <string_view>

namespace nmt {

/// Returns the text of src/pictures/assets/NAME. Throws Error if there is no such file.
std::string_view asset(std::string_view name);

}  // namespace nmt
