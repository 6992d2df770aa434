// The element types of CTranslate2.
#pragma once

#include <array>

#include "foreign/containers/element_type.h"

namespace nmt {

/// The types in the order of their numbers in files from version 4 on.
inline constexpr std::array kCTranslate2Types = {ElementType::f32, ElementType::i8,  ElementType::i16,
                                                 ElementType::i32, ElementType::f16, ElementType::bf16};

/// The suffix of a variable's name in the name of its scale.
inline constexpr const char* kCTranslate2Scale = "_scale";

}  // namespace nmt
