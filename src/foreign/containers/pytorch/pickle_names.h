// Names in pickles: of opcodes, and of functions and classes that a dictionary of tensors needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "foreign/containers/pytorch/pickle.h"

namespace nmt {

/// What pickletools calls an opcode, or its number.
std::string pickle_opcode_name(std::uint8_t opcode);

/// The global `name` ("torch FloatStorage"), if it is one that is known.
std::optional<PickledGlobal> known_pickle_global(std::string_view name);

}  // namespace nmt
