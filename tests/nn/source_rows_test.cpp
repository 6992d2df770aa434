#include "nn/source_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/reference/reference.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;

TEST(SourceRowsTest, GoWhereTheSentencesHaveTheirs) {
  ReferenceBackend backend;
  Worker worker(backend);
  Graph g(worker);
  const auto column = [&](const std::vector<double>& values) {
    const Tensor x = g.allocate(std::ssize(values), 1);
    upload_reals(backend, x, values);
    return x;
  };
  const SourceRows rows(g, {2, 1, 3}, {4, 0, 7});
  const Tensor kept = column(std::vector<double>(10));
  rows.write(column({1, 2, 3, 4, 5, 6}), kept);
  EXPECT_THAT(download_reals(backend, kept), ElementsAre(3, 0, 0, 0, 1, 2, 0, 4, 5, 6));
  rows.write_first(column({7, 8, 9}), kept);
  EXPECT_THAT(download_reals(backend, kept), ElementsAre(8, 0, 0, 0, 7, 2, 0, 9, 5, 6));
}

}  // namespace
}  // namespace nmt
