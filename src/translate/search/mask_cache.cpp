#include "translate/search/mask_cache.h"

#include <algorithm>
#include <utility>

namespace nmt {
namespace {

constexpr std::int64_t kBits = 32;  // bits of an element

/// Sets or clears the bit of an id.
void put(std::uint32_t* mask, std::int32_t id, bool is_set) {
  const std::uint32_t bit = 1U << (id % kBits);
  mask[id / kBits] = is_set ? mask[id / kBits] | bit : mask[id / kBits] & ~bit;
}

/// Returns the masks of all constraints, one after the other.
std::vector<std::uint32_t> mask_bits(const std::vector<TokenConstraint>& constraints, std::int64_t elements) {
  std::vector<std::uint32_t> bits(constraints.size() * static_cast<std::size_t>(elements));
  std::uint32_t* mask = bits.data();
  for (const TokenConstraint& constraint : constraints) {
    if (constraint.among) {
      std::fill_n(mask, elements, ~std::uint32_t{0});
      for (const std::int32_t id : *constraint.among) put(mask, id, false);
    } else if (constraint.only) {
      std::fill_n(mask, elements, ~std::uint32_t{0});
      put(mask, *constraint.only, false);
    } else {
      for (const std::int32_t id : *constraint.forbidden) put(mask, id, true);
    }
    mask += elements;
  }
  return bits;
}

/// Uploads into this tensor, which is allocated again if its shape differs.
void upload(Backend& backend, Tensor& to, std::int64_t rows, std::int64_t columns, const void* from) {
  if (!to || to.rows() != rows || to.columns() != columns) {
    to = {};  // frees its memory first
    to = allocate_tensor(backend, rows, columns, DType::i32);
  }
  backend.upload(to, from);
}

}  // namespace

const TokenMasks& MaskCache::masks(const std::vector<TokenConstraint>& of_row, std::int64_t vocabulary) {
  std::vector<TokenConstraint> constraints;
  std::vector<std::int32_t> numbers;
  for (const TokenConstraint& constraint : of_row) {
    const auto known = std::ranges::find(constraints, constraint);
    numbers.push_back(constraint ? static_cast<std::int32_t>(known - constraints.begin()) : -1);
    if (constraint && known == constraints.end()) constraints.push_back(constraint);
  }
  if (constraints != constraints_) {
    constraints_ = std::move(constraints);
    const std::int64_t elements = (vocabulary + kBits - 1) / kBits;
    if (constraints_.empty())
      masks_ = {};
    else
      upload(backend_, masks_.bits, std::ssize(constraints_), elements,
             mask_bits(constraints_, elements).data());
    of_row_.clear();
  }
  if (masks_.bits && numbers != of_row_) {
    upload(backend_, masks_.mask, 1, std::ssize(numbers), numbers.data());
    of_row_ = std::move(numbers);
  }
  return masks_;
}

}  // namespace nmt
