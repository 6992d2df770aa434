// The types of elements that CTranslate2 has.
#pragma once

#include <array>

#include "foreign/containers/element_type.h"

namespace nmt {

/// In the order of the numbers that files have for them from version 4 on.
inline constexpr std::array kCTranslate2Types = {ElementType::f32, ElementType::i8,  ElementType::i16,
                                                 ElementType::i32, ElementType::f16, ElementType::bf16};

/// What the scale of a variable is called behind the variable's name.
inline constexpr const char* kCTranslate2Scale = "_scale";

}  // namespace nmt
