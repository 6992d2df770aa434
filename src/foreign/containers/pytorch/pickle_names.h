// Names in pickles: opcodes, and the functions and classes that a dictionary of tensors needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "foreign/containers/pytorch/pickle.h"

namespace nmt {

/// Returns the name of an opcode in pickletools, or its number.
std::string pickle_opcode_name(std::uint8_t opcode);

/// Returns the global `name` ("torch FloatStorage"); nothing for an unknown one.
std::optional<PickledGlobal> known_pickle_global(std::string_view name);

}  // namespace nmt
