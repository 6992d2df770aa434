// Rows of sentences in a step, and padding, which changes no result of a search.
#include "translate/search/step_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/rounding.h"
#include "nn/formula_weights.h"
#include "translate/search/search.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;

Sentence sentence(std::int32_t rows, std::int32_t source_begin, std::int32_t source_rows,
                  std::int32_t number) {
  Sentence sentence;
  sentence.rows = rows;
  sentence.source_begin = source_begin;
  sentence.source_rows = source_rows;
  sentence.number = number;
  return sentence;
}

std::vector<Sentence> list(Sentence a, Sentence b) {
  std::vector<Sentence> sentences;
  sentences.push_back(std::move(a));
  sentences.push_back(std::move(b));
  return sentences;
}

std::vector<std::int32_t> ids(const Tensor& tensor) {
  return {tensor.data<std::int32_t>(), tensor.data<std::int32_t>() + tensor.size()};
}

TEST(StepLayout, HasTheRowsOfTheSentencesAlone) {
  testing::Rounding backend(1);
  Worker worker(backend);
  const Graph g(worker);
  StepLayout layout(g);
  layout.next(list(sentence(1, 0, 5, -1), sentence(1, 5, 9, -1)));
  layout.next(list(sentence(4, 0, 5, 0), sentence(4, 5, 9, 1)));
  EXPECT_EQ(layout.rows(), 8);
  EXPECT_EQ(layout.hypotheses().count, 2);
  EXPECT_EQ(layout.hypotheses().longest, 4);
  EXPECT_EQ(layout.sources().longest, 9);
  EXPECT_THAT(ids(layout.hypotheses().begin), ElementsAre(0, 4));
  EXPECT_THAT(ids(layout.sources().begin), ElementsAre(0, 5));
  EXPECT_THAT(ids(layout.sources().length), ElementsAre(5, 9));
  EXPECT_THAT(ids(layout.number_before()), ElementsAre(0, 1));
  EXPECT_THAT(ids(layout.row_before()), ElementsAre(0, 1));
}

TEST(StepLayout, PaddingFillsABucket) {
  testing::Rounding backend(256);
  Worker worker(backend);
  const Graph g(worker);
  StepLayout layout(g);
  layout.next(list(sentence(4, 0, 5, -1), sentence(1, 5, 9, -1)));
  EXPECT_EQ(layout.rows(), 8);
  EXPECT_EQ(layout.hypotheses().longest, 8);
  EXPECT_EQ(layout.sources().longest, 128);
  EXPECT_THAT(ids(layout.hypotheses().begin), ElementsAre(0, 4, 5, 8));
  EXPECT_THAT(ids(layout.hypotheses().length), ElementsAre(4, 1, 3, 0));
  EXPECT_THAT(ids(layout.sources().length), ElementsAre(5, 9, 0, 0));
  EXPECT_THAT(ids(layout.number_before()), ElementsAre(-1, -1, -1, -1));
  const void* const place = layout.hypotheses().begin.raw();
  layout.next(list(sentence(4, 0, 5, 0), sentence(4, 5, 9, 1)));
  EXPECT_EQ(layout.rows(), 8);
  EXPECT_EQ(layout.hypotheses().count, 4);
  EXPECT_THAT(ids(layout.row_before()), ElementsAre(0, 4, 0, 0));
  EXPECT_EQ(layout.hypotheses().begin.raw(), place) << "shapes that recur have other addresses";
}

TEST(StepLayout, ShapesStayWhileRowsVaryALittle) {
  testing::Rounding backend(256);
  Worker worker(backend);
  const Graph g(worker);
  StepLayout layout(g);
  const auto rows_for = [&](std::int32_t rows) {
    layout.next(list(sentence(rows, 0, 5, -1), sentence(1, 5, 9, -1)));
    return layout.rows();
  };
  EXPECT_EQ(rows_for(99), 128);
  EXPECT_EQ(rows_for(85), 128);
  EXPECT_EQ(rows_for(84), 96) << "too much padding was kept";
  EXPECT_EQ(rows_for(96), 128);
  EXPECT_EQ(rows_for(2000), 2048);
  EXPECT_EQ(rows_for(1792), 2048);
  EXPECT_EQ(rows_for(1791), 1792) << "more padding than there are cache rows for";
}

TEST(StepLayout, PaddingChangesNoTranslation) {
  testing::Rounding plain(1), padded(16);
  const auto found_by = [](Backend& backend) {
    const auto c = testing::fixture("searches.json")[1];
    const auto model = testing::formula_model(c["config"], c["gain"], backend, false, c["end_bias"]);
    Worker worker(backend);
    return search(*model, worker, testing::examples_of(c["source"]), testing::kFixtureSpecialTokens,
                  {.beam = 3, .n_best = 3});
  };
  const auto expected = found_by(plain), found = found_by(padded);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[i].size());
    for (std::size_t n = 0; n < found[i].size(); ++n) {
      EXPECT_EQ(found[i][n].ids, expected[i][n].ids);
      EXPECT_EQ(found[i][n].score, expected[i][n].score) << "the bits differ";
    }
  }
}

}  // namespace
}  // namespace nmt
