// Element types in files of other toolkits, which include types that tensors here do not have
// (tensor/dtype.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace nmt {

enum class ElementType : std::uint8_t { f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

/// Returns the bytes of one element.
std::size_t size_of(ElementType type);

/// Returns the name for messages: "f32".
const char* name_of(ElementType type);

/// Whether elements are real numbers rather than integers.
bool is_real(ElementType type);

}  // namespace nmt
