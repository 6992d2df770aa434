// Types of elements in files of other toolkits: more than operations know (tensor/dtype.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace nmt {

enum class ElementType : std::uint8_t { f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

/// Bytes of one element.
std::size_t size_of(ElementType type);

/// "f32", as messages show it.
const char* name_of(ElementType type);

/// Whether elements are real numbers rather than integers.
bool is_real(ElementType type);

}  // namespace nmt
