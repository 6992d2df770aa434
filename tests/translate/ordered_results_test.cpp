#include "translate/service/ordered_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The progress that is reported for finished lines: their number, and the share of the text; -1: unknown.
using Reports = std::vector<std::pair<std::int64_t, double>>;

ProgressReport report_to(Reports& reports) {
  return [&reports](std::int64_t lines, std::optional<double> part) {
    reports.emplace_back(lines, part.value_or(-1));
  };
}

TranslationResult result_of(std::int64_t tokens) {
  TranslationResult result;
  result.source_tokens = tokens;
  return result;
}

std::vector<std::int64_t> tokens_of(const std::vector<TranslationResult>& results) {
  std::vector<std::int64_t> tokens;
  tokens.reserve(results.size());
  for (const TranslationResult& result : results) tokens.push_back(result.source_tokens);
  return tokens;
}

TEST(OrderedResults, ComeInTheOrderOfTheLines) {
  OrderedResults results(nullptr);
  EXPECT_EQ(results.expect(3, std::nullopt, std::nullopt), 0);
  EXPECT_EQ(results.expect(2, std::nullopt, std::nullopt), 3);
  results.put(2, result_of(12));
  results.put(0, result_of(10));
  EXPECT_THAT(tokens_of(results.take()), ElementsAre(10));
  EXPECT_EQ(results.size(), 4U);
  results.put(4, result_of(14));
  results.put(1, result_of(11));
  EXPECT_THAT(tokens_of(results.take()), ElementsAre(11, 12));
  results.put(3, result_of(13));
  results.end();
  EXPECT_THAT(tokens_of(results.take()), ElementsAre(13, 14));
  EXPECT_THAT(results.take(), IsEmpty());
  EXPECT_EQ(results.failure(), nullptr);
}

TEST(OrderedResults, TellWhichPartOfTheTextIsDone) {
  Reports reports;
  OrderedResults results(report_to(reports));
  results.expect(2, 0, 0.5);
  results.expect(4, 0.5, 0.75);
  results.put(3, {});
  results.put(0, {});
  results.put(1, {});
  results.put(2, {});
  results.expect(1, std::nullopt, std::nullopt);
  results.put(4, {});
  results.put(6, {});
  results.put(5, {});
  EXPECT_THAT(reports,
              ElementsAre(std::pair(1, 0.0625), std::pair(2, 0.3125), std::pair(3, 0.5625),
                          std::pair(4, 0.625), std::pair(5, -1), std::pair(6, -1), std::pair(7, -1)));
}

TEST(OrderedResults, WhoBringsLinesWaitsForThoseWhoTakeThem) {
  OrderedResults results(nullptr);
  results.expect(3, std::nullopt, std::nullopt);
  EXPECT_TRUE(results.wait_for_capacity(3));
  std::jthread taker([&] {
    for (std::int64_t line = 0; line < 3; ++line) results.put(line, result_of(line));
    for (std::size_t taken = 0; taken < 3;) taken += results.take().size();
  });
  EXPECT_TRUE(results.wait_for_capacity(0));
  EXPECT_EQ(results.size(), 0U);
  results.expect(1, std::nullopt, std::nullopt);
  results.stop();
  EXPECT_FALSE(results.wait_for_capacity(0)) << "nobody takes them any more";
}

TEST(OrderedResults, EndWithWhatCameInThePlaceOfFurtherLines) {
  OrderedResults results(nullptr);
  results.expect(1, std::nullopt, std::nullopt);
  results.end(std::make_exception_ptr(Error("the input breaks off")));
  results.put(0, result_of(5));
  EXPECT_THAT(results.take(), SizeIs(1)) << "those before it come first";
  EXPECT_THAT(results.take(), IsEmpty());
  EXPECT_THROW(std::rethrow_exception(results.failure()), Error);
}

}  // namespace
}  // namespace nmt
