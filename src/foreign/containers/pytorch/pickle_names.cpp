#include "foreign/containers/pytorch/pickle_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace nmt {
namespace {

/// Opcodes that dictionaries of tensors do not need, but other pickles do.
constexpr auto kOtherOpcodes = std::to_array<std::pair<std::uint8_t, const char*>>(
    {{'0', "POP"},          {'1', "POP_MARK"},    {'2', "DUP"},           {'F', "FLOAT"},
     {'I', "INT"},          {'L', "LONG"},        {'P', "PERSID"},        {'S', "STRING"},
     {'T', "BINSTRING"},    {'V', "UNICODE"},     {'B', "BINBYTES"},      {'C', "SHORT_BINBYTES"},
     {'d', "DICT"},         {'g', "GET"},         {'i', "INST"},          {'l', "LIST"},
     {'o', "OBJ"},          {'p', "PUT"},         {0x81, "NEWOBJ"},       {0x82, "EXT1"},
     {0x83, "EXT2"},        {0x84, "EXT4"},       {0x8B, "LONG4"},        {0x8C, "SHORT_BINUNICODE"},
     {0x8D, "BINUNICODE8"}, {0x8E, "BINBYTES8"},  {0x8F, "EMPTY_SET"},    {0x90, "ADDITEMS"},
     {0x91, "FROZENSET"},   {0x92, "NEWOBJ_EX"},  {0x93, "STACK_GLOBAL"}, {0x94, "MEMOIZE"},
     {0x95, "FRAME"},       {0x96, "BYTEARRAY8"}, {0x97, "NEXT_BUFFER"},  {0x98, "READONLY_BUFFER"}});

using GlobalKind = PickledGlobal::Kind;

constexpr std::array<std::pair<std::string_view, PickledGlobal>, 13> kGlobals = {
    {{"collections OrderedDict", {GlobalKind::ordered_dict, ElementType::u8}},
     {"torch._utils _rebuild_tensor_v2", {GlobalKind::rebuild_tensor, ElementType::u8}},
     {"torch._utils _rebuild_parameter", {GlobalKind::rebuild_parameter, ElementType::u8}},
     {"torch FloatStorage", {GlobalKind::storage, ElementType::f32}},
     {"torch HalfStorage", {GlobalKind::storage, ElementType::f16}},
     {"torch BFloat16Storage", {GlobalKind::storage, ElementType::bf16}},
     {"torch DoubleStorage", {GlobalKind::storage, ElementType::f64}},
     {"torch LongStorage", {GlobalKind::storage, ElementType::i64}},
     {"torch IntStorage", {GlobalKind::storage, ElementType::i32}},
     {"torch ShortStorage", {GlobalKind::storage, ElementType::i16}},
     {"torch CharStorage", {GlobalKind::storage, ElementType::i8}},
     {"torch ByteStorage", {GlobalKind::storage, ElementType::u8}},
     {"torch BoolStorage", {GlobalKind::storage, ElementType::boolean}}}};

}  // namespace

std::string pickle_opcode_name(std::uint8_t opcode) {
  const auto* known = std::ranges::find(kOtherOpcodes, opcode, [](const auto& entry) { return entry.first; });
  return known != kOtherOpcodes.end() ? known->second : fmt::format("{:#x}", opcode);
}

std::optional<PickledGlobal> known_pickle_global(std::string_view name) {
  const auto* known = std::ranges::find(kGlobals, name, [](const auto& entry) { return entry.first; });
  return known != kGlobals.end() ? std::optional(known->second) : std::nullopt;
}

}  // namespace nmt
