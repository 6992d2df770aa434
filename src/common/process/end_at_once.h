// Ending a process that cannot end by itself.
#pragma once

namespace nmt {

/// Ends the process at once, whatever its threads are doing, and leaves no temporary files. For signal
/// handlers, too.
[[noreturn]] void end_at_once(int code);

}  // namespace nmt
