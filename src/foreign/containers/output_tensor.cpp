#include "foreign/containers/output_tensor.h"

#include <algorithm>
#include <stdexcept>

#include "nn/files/safetensors.h"

namespace nmt {

std::uint64_t OutputTensor::bytes() const {
  std::uint64_t product = size_of(type);
  for (const std::int64_t extent : shape) product *= static_cast<std::uint64_t>(extent);
  return product;
}

std::vector<std::byte> OutputTensor::made(RowRange range) const {
  std::vector<std::byte> data = make(range);
  if (data.size() != static_cast<std::uint64_t>(range.count) * row_bytes())
    throw std::logic_error("tensor " + name + " is not of its shape");
  return data;
}

void sort_by_name(std::vector<OutputTensor>& tensors, const std::string& path) {
  std::ranges::sort(tensors, {}, &OutputTensor::name);
  const auto twice = std::ranges::adjacent_find(tensors, {}, &OutputTensor::name);
  if (twice == tensors.end()) return;
  throw Error("cannot write '{}': two tensors have the name {}", path, in_quotes(twice->name));
}

}  // namespace nmt
