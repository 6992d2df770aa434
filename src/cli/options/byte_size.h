// Amounts of memory on the command line.
#pragma once

#include <cstdint>
#include <string>

namespace nmt {

/// "4G", "500M", "64K", or bytes, by powers of 1024. Throws UsageError, which names the option, for what is
/// none, and for 0.
std::uintmax_t byte_size(const std::string& text, const std::string& option);

}  // namespace nmt
