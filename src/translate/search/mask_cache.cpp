#include "translate/search/mask_cache.h"

#include <algorithm>
#include <utility>

namespace nmt {
namespace {

constexpr std::int64_t kBits = 32;  // of an element

Tensor mask_bits(Backend& backend, const std::vector<TokenList>& lists, std::int64_t vocabulary) {
  const std::int64_t elements = (vocabulary + kBits - 1) / kBits;
  std::vector<std::uint32_t> bits(lists.size() * static_cast<std::size_t>(elements));
  for (std::size_t mask = 0; mask < lists.size(); ++mask) {
    std::uint32_t* of_mask = bits.data() + mask * static_cast<std::size_t>(elements);
    for (const std::int32_t id : *lists[mask]) of_mask[id / kBits] |= 1U << (id % kBits);
  }
  const Tensor tensor = allocate_tensor(backend, std::ssize(lists), elements, DType::i32);
  backend.upload(tensor, bits.data());
  return tensor;
}

}  // namespace

const TokenMasks& MaskCache::masks(const std::vector<TokenList>& of_row, std::int64_t vocabulary) {
  std::vector<TokenList> lists;
  std::vector<std::int32_t> numbers;
  for (const TokenList& list : of_row) {
    const auto known = std::ranges::find(lists, list);
    numbers.push_back(list ? static_cast<std::int32_t>(known - lists.begin()) : -1);
    if (list && known == lists.end()) lists.push_back(list);
  }
  if (lists != lists_) {
    lists_ = std::move(lists);
    masks_ = {};  // before there are others
    if (!lists_.empty()) masks_.bits = mask_bits(backend_, lists_, vocabulary);
    of_row_.clear();
  }
  if (masks_.bits && numbers != of_row_) {
    masks_.mask = allocate_tensor(backend_, 1, std::ssize(numbers), DType::i32);
    backend_.upload(masks_.mask, numbers.data());
    of_row_ = std::move(numbers);
  }
  return masks_;
}

}  // namespace nmt
