// Exchange of texts among the ranks of a process group.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/process_group.h"

namespace nmt {

/// Returns the message of each rank, in the order of the ranks. All ranks call this together.
std::vector<std::string> all_gather_text(ProcessGroup& group, std::string_view message);

}  // namespace nmt
