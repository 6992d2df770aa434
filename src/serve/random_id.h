// Ids that cannot be guessed.
#pragma once

#include <string>

namespace nmt {

/// Returns a random UUID (RFC 9562, version 4).
std::string random_id();

}  // namespace nmt
