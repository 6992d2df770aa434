// Real numbers of any element type as doubles, and back.
#pragma once

#include <cstddef>
#include <vector>

#include "tensor/dtype.h"

namespace nmt {

/// `count` elements of a floating-point type; `data` need not be aligned.
std::vector<double> widen(const void* data, std::size_t count, DType dtype);

/// The bytes of these numbers as elements of a floating-point type, each rounded to the nearest.
std::vector<std::byte> narrow(const std::vector<double>& values, DType dtype);

}  // namespace nmt
