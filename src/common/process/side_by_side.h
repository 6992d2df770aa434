// Runs work on several threads at a time.
#pragma once

#include <cstddef>
#include <functional>

namespace nmt {

/// Calls work(i) for each i below `count`, number 0 on this thread and each other one on its own thread, and
/// returns when all have returned. Then rethrows the first exception of any of them; the work itself has to
/// stop the others.
void side_by_side(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace nmt
