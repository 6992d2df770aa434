#include "tensor/reals.h"

#include <cassert>
#include <cstring>
#include <type_traits>

namespace nmt {
namespace {

template <class T>
std::vector<double> widen(const void* data, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, static_cast<const char*>(data) + i * sizeof element, sizeof element);
    if constexpr (sizeof element == 2) {
      values[i] = static_cast<float>(element);
    } else {
      values[i] = element;
    }
  }
  return values;
}

template <class T>
std::vector<std::byte> narrow(const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::byte* to = bytes.data();
  for (const double value : values) {
    const T element(static_cast<std::conditional_t<sizeof(T) == 2, float, T>>(value));
    std::memcpy(to, &element, sizeof element);
    to += sizeof element;
  }
  return bytes;
}

}  // namespace

std::vector<double> widen(const void* data, std::size_t count, DType dtype) {
  switch (dtype) {
    case DType::f64:
      return widen<double>(data, count);
    case DType::bf16:
      return widen<BFloat16>(data, count);
    case DType::f16:
      return widen<Float16>(data, count);
    default:
      assert(dtype == DType::f32);
      return widen<float>(data, count);
  }
}

std::vector<std::byte> narrow(const std::vector<double>& values, DType dtype) {
  switch (dtype) {
    case DType::f64:
      return narrow<double>(values);
    case DType::bf16:
      return narrow<BFloat16>(values);
    case DType::f16:
      return narrow<Float16>(values);
    default:
      assert(dtype == DType::f32);
      return narrow<float>(values);
  }
}

}  // namespace nmt
