// Work on several threads at the same time.
#pragma once

#include <cstddef>
#include <functional>

namespace nmt {

/// Calls work(i) for each i below `count`, number 0 on this thread and each other one on a thread of its own,
/// and returns when all have returned. The first exception that one of them throws is thrown again then; to
/// let the others know is the work's own business.
void side_by_side(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace nmt
