#include "foreign/containers/pytorch/strided_tensors.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nmt {
namespace {

/// Whether elements are contiguous and row-major.
bool is_dense(const std::vector<std::int64_t>& strides, const std::vector<std::int64_t>& shape) {
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0; stride *= shape[i]) {
    if (strides[i] != stride) return false;
  }
  return true;
}

/// Copies strided elements of `size` bytes from `from` contiguously to `to`.
void gather(std::span<const std::byte> from, const std::vector<std::int64_t>& shape,
            const std::vector<std::int64_t>& strides, std::size_t size, std::span<std::byte> to) {
  std::vector<std::int64_t> index(shape.size(), 0);
  std::int64_t position = 0;
  for (std::size_t at = 0; at < to.size(); at += size) {
    std::memcpy(to.data() + at, from.data() + static_cast<std::size_t>(position) * size, size);
    for (std::size_t i = shape.size(); i-- > 0;) {
      position += strides[i];
      if (++index[i] < shape[i]) break;
      position -= strides[i] * shape[i];
      index[i] = 0;
    }
  }
}

}  // namespace

void StridedTensors::add_all(const PickledValue& dictionary) {
  const auto* const* found = std::get_if<PickledSequence*>(&dictionary);
  if (found == nullptr || !(*found)->is_dict()) {
    throw Error("cannot load '{}': it holds {}, not a dictionary of tensors; save only the state_dict()",
                path(), kind_of(dictionary));
  }
  const std::vector<PickledValue>& items = (*found)->items;
  for (std::size_t i = 0; i < items.size(); i += 2) {
    const auto* name = std::get_if<std::string_view>(&items[i]);
    const auto* tensor = std::get_if<const PickledTensor*>(&items[i + 1]);
    if (name == nullptr) throw damaged(path(), "a key of its dictionary is not text");
    if (tensor == nullptr) {
      throw Error("cannot load '{}': {} in its dictionary is {}, not a tensor; save only the state_dict()",
                  path(), in_quotes(std::string(*name)), kind_of(items[i + 1]));
    }
    add_tensor(std::string(*name), **tensor);
  }
}

void StridedTensors::add_tensor(const std::string& name, const PickledTensor& tensor) {
  add(name, {.type = tensor.storage.type, .shape = tensor.shape});
  const std::uint64_t extent = extent_of(name, tensor);
  if (!has(tensor.storage)) {
    throw damaged(path(),
                  fmt::format("the bytes of tensor {} are missing or of another size", in_quotes(name)));
  }
  views_.emplace(name, View{std::string(tensor.storage.key), static_cast<std::uint64_t>(tensor.offset),
                            tensor.strides, extent});
}

std::uint64_t StridedTensors::extent_of(const std::string& name, const PickledTensor& tensor) const {
  const std::vector<std::int64_t>&shape = tensor.shape, &strides = tensor.strides;
  const auto size = static_cast<std::uint64_t>(entry(name).size());
  bool is_sound = strides.size() == shape.size() && tensor.offset >= 0 && size <= tensor.storage.elements;
  std::int64_t extent = size > 0 ? 1 : 0, end = 0;
  for (std::size_t i = 0; is_sound && size > 0 && i < shape.size(); ++i) {
    std::int64_t spread = 0;
    is_sound = strides[i] >= 0 && !__builtin_mul_overflow(shape[i] - 1, strides[i], &spread) &&
               !__builtin_add_overflow(extent, spread, &extent);
  }
  is_sound = is_sound && !__builtin_add_overflow(tensor.offset, extent, &end) &&
             static_cast<std::uint64_t>(end) <= tensor.storage.elements;
  if (!is_sound) throw damaged(path(), "tensor " + in_quotes(name) + " does not fit its storage");
  return static_cast<std::uint64_t>(extent);
}

void StridedTensors::load(const std::string& name, std::size_t first, std::span<std::byte> to) const {
  const View& view = views_.at(name);
  const Entry& found = entry(name);
  const std::size_t size = size_of(found.type);
  const std::uint64_t begin = view.offset * size;
  if (to.empty()) return;
  if (is_dense(view.strides, found.shape)) return read_storage(view.storage, begin + first, to);
  std::vector<std::byte> spread(view.extent * size), all(found.bytes());
  read_storage(view.storage, begin, spread);
  gather(spread, found.shape, view.strides, size, all);
  std::memcpy(to.data(), all.data() + first, to.size());
}

}  // namespace nmt
