// Immediate end of a process.
#pragma once

namespace nmt {

/// Ends the process at once, whatever its threads are doing, and removes its temporary files. Safe in signal
/// handlers.
[[noreturn]] void end_at_once(int code);

}  // namespace nmt
