// Ending a process that cannot end by itself.
#pragma once

#include <string_view>

namespace nmt {

/// Ends the process at once, whatever its threads are doing, and leaves no temporary files. For signal
/// handlers, too.
[[noreturn]] void end_at_once(int code);

/// The same, with exit code 1, after an error was logged. On any thread; of several, the first one tells.
[[noreturn]] void end_at_once(std::string_view error);

/// What the latter calls when the error is logged, lest others have to find out: in a process for which
/// others wait. nullptr: nothing.
void set_farewell(void (*farewell)());

}  // namespace nmt
