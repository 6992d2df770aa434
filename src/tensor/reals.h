// Conversion between real numbers of any element type and doubles.
#pragma once

#include <cstddef>
#include <vector>

#include "tensor/dtype.h"

namespace nmt {

/// Converts `count` elements of a floating-point type to doubles; `data` need not be aligned.
std::vector<double> widen(const void* data, std::size_t count, DType dtype);

/// Converts doubles to the bytes of elements of a floating-point type, each rounded to nearest.
std::vector<std::byte> narrow(const std::vector<double>& values, DType dtype);

}  // namespace nmt
