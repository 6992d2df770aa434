// What the ranks of a process group tell one another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/process_group.h"

namespace nmt {

/// What each rank says, in their order, on all of them. All ranks call this together.
std::vector<std::string> all_gather_text(ProcessGroup& group, std::string_view message);

}  // namespace nmt
