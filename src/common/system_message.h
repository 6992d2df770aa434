// What the operating system says of an error.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// Describes an error of a system call, an errno, and says what to do: advice of its own for a full disk and
/// too many open files, else `advice` where it is given.
std::string system_message(int code, std::string_view advice = "");

}  // namespace nmt
