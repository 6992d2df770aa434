// Messages of the operating system.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// Describes the errno of a failed system call and says what to do: specific advice for a full disk and for
/// too many open files, otherwise `advice` if it is not empty.
std::string system_message(int code, std::string_view advice = "");

}  // namespace nmt
