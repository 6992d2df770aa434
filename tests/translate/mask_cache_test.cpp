// Masks are uploaded only when they change.
#include <gtest/gtest.h>

#include "backend/reference/reference.h"
#include "translate/search/output_selection.h"

namespace nmt {
namespace {

TokenConstraint tokens(std::vector<std::int32_t> ids) {
  return {.forbidden = std::make_shared<const std::vector<std::int32_t>>(std::move(ids))};
}

std::vector<std::int32_t> elements_of(Backend& backend, const Tensor& tensor) {
  std::vector<std::int32_t> elements(static_cast<std::size_t>(tensor.size()));
  backend.download(elements.data(), tensor);
  return elements;
}

using Elements = std::vector<std::int32_t>;

TEST(MaskCache, ThereIsNoneWhereNothingIsForbidden) {
  ReferenceBackend backend;
  Worker worker(backend);
  const Graph g(worker);
  MaskCache cache(g);
  EXPECT_FALSE(cache.masks({{}, {}}, 100));
}

TEST(MaskCache, RowsOfOneListShareAMask) {
  ReferenceBackend backend;
  Worker worker(backend);
  const Graph g(worker);
  MaskCache cache(g);
  const TokenConstraint few = tokens({0, 33}), one = tokens({5});
  const TokenMasks masks = cache.masks({few, few, {}, one, few}, 40);
  EXPECT_EQ(elements_of(backend, masks.mask), (Elements{0, 0, -1, 1, 0}));
  EXPECT_EQ(elements_of(backend, masks.bits), (Elements{1, 2, 32, 0}));
}

TEST(MaskCache, OneTokenAloneMayFollow) {
  ReferenceBackend backend;
  Worker worker(backend);
  const Graph g(worker);
  MaskCache cache(g);
  const TokenConstraint few = tokens({0, 33});
  const TokenMasks masks = cache.masks({{.only = 33}, few, {.only = 2}, {.only = 33}}, 40);
  EXPECT_EQ(elements_of(backend, masks.mask), (Elements{0, 1, 2, 0}));
  EXPECT_EQ(elements_of(backend, masks.bits), (Elements{-1, ~2, 1, 2, ~4, -1}));
}

TEST(MaskCache, OnlyWhatChangesIsMadeAnew) {
  ReferenceBackend backend;
  Worker worker(backend);
  const Graph g(worker);
  MaskCache cache(g);
  const TokenConstraint few = tokens({0, 33}), one = tokens({5});
  const TokenMasks first = cache.masks({few, few}, 40), same = cache.masks({few, few}, 40);
  EXPECT_EQ(same.bits.raw(), first.bits.raw());
  EXPECT_EQ(same.mask.raw(), first.mask.raw());
  const TokenMasks shorter = cache.masks({few}, 40);
  EXPECT_EQ(shorter.bits.raw(), first.bits.raw());
  EXPECT_EQ(elements_of(backend, shorter.mask), (Elements{0}));
  const TokenMasks other = cache.masks({one}, 40);
  EXPECT_EQ(elements_of(backend, other.bits), (Elements{32, 0}));
  EXPECT_FALSE(cache.masks({TokenConstraint()}, 40));
}

}  // namespace
}  // namespace nmt
