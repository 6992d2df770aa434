// What hosts of ranks tell one another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/hosts.h"

namespace nmt {

/// What each rank says, in their order, on all of them. All ranks call this together.
std::vector<std::string> share(Hosts& hosts, std::string_view message);

}  // namespace nmt
