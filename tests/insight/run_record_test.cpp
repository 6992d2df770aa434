#include "insight/run_record.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using Json = nlohmann::ordered_json;

class RunRecordTest : public ::testing::Test {
 protected:
  RunRecordTest() { std::filesystem::create_directory(folder_ / "valid"); }

  void write_validation(int step, const std::string& text) {
    folder_.write("valid/step-" + std::to_string(step) + ".txt", text);
  }

  Json data(const std::vector<std::int64_t>& lines = {}, const RunConfiguration& configuration = {}) {
    RunRecord run(folder_ / "", configuration, {.numbers = lines});
    run.refresh();
    return run.data();
  }

  const TemporaryFolder folder_;
  const std::string metrics_ = folder_.write(
      "metrics.jsonl",
      "{\"event\":\"train\",\"step\":5,\"loss\":3.00000001,\"target_tokens\":70,\"seconds\":1.5}\n"
      "{\"event\":\"valid\",\"step\":5,\"loss\":2,\"bleu\":12.5,\"target_tokens\":70,\"seconds\":2.5}\n"
      "{\"event\":\"train\",\"step\":1e300,\"loss\":null,\"gradient_norm\":\"x\"}\n"
      "{\"event\":\"unknown\",\"step\":6,\"loss\":1}\n{\"loss\":1}\n");
};

TEST_F(RunRecordTest, GathersEveryFigureWithItsPlace) {
  const Json series = data()["series"];
  EXPECT_EQ(series["train"],
            Json::parse(R"({"loss": {"step": [5], "tokens": [70], "seconds": [1.5], "value": [3]}})"));
  EXPECT_EQ(series["valid"]["bleu"]["value"], Json::parse("[12.5]"));
  EXPECT_EQ(series.size(), 2U);
}

TEST_F(RunRecordTest, ShowsChosenLinesOfTheValidations) {
  write_validation(100, "a\nb\nc\n");
  write_validation(20, "A\nB\nC\n");
  const std::string source = folder_.write("source", "x\r\n\xFFy\nz\n");
  const Json translations =
      data({3, 2, 9, 2}, {{"valid-source", source}, {"valid-target", folder_ / "none"}})["translations"];
  EXPECT_EQ(translations["steps"], Json::parse("[20, 100]"));
  EXPECT_EQ(translations["lines"],
            Json::parse("[{\"number\": 2, \"source\": \"\xEF\xBF\xBDy\", \"texts\": [\"B\", \"b\"]}, "
                        "{\"number\": 3, \"source\": \"z\", \"texts\": [\"C\", \"c\"]}]"));
}

TEST_F(RunRecordTest, GivesLinesOfTheLastValidationToSearchIn) {
  write_validation(9, "A\nB\nC\nD\nE\n");
  write_validation(10, "a\nb\nc\nd\n" + std::string(600, 'e') + "\n");
  const std::string source = folder_.write("source", "1\n2\n3\n4\n5\n");
  const std::string short_text = folder_.write("short", "1\n");
  RunRecord run(folder_ / "", {{"valid-source", source}, {"valid-target", short_text}}, {.searched = 3});
  run.refresh();
  Json searched = run.data()["translations"]["searched"];
  EXPECT_EQ(searched["texts"][2], std::string(500, 'e') + "…");
  searched["texts"].erase(2);
  EXPECT_EQ(searched, Json::parse(R"({"step": 10, "of": 5, "numbers": [1, 3, 5], "sources": ["1", "3", "5"],
                                      "references": [], "texts": ["a", "c"]})"));
}

TEST_F(RunRecordTest, TellsWhereEachStageBegins) {
  EXPECT_EQ(data()["stages"], Json::array());
  std::ofstream(metrics_, std::ios::app)
      << R"({"event":"train","step":6,"stage":"first","target_tokens":80,"seconds":2})"
      << "\n"
      << R"({"event":"train","step":7,"stage":"first","target_tokens":90,"seconds":3})"
      << "\n"
      << R"({"event":"valid","step":8,"stage":"second","target_tokens":99,"seconds":4})"
      << "\n"
      << R"({"event":"train","step":8,"stage":"second","target_tokens":99,"seconds":4})"
      << "\n"
      << R"({"event":"train","step":9,"stage":7,"target_tokens":99,"seconds":4})"
      << "\n";
  EXPECT_EQ(data()["stages"], Json::parse(R"([{"name": "first", "step": 6, "tokens": 80, "seconds": 2},
                                              {"name": "second", "step": 8, "tokens": 99, "seconds": 4}])"));
}

TEST_F(RunRecordTest, TellsTheWaitOfEachInterval) {
  std::ofstream(metrics_, std::ios::app) << R"({"event":"train","step":6,"seconds":11.5,"data_wait":2})"
                                         << "\n"
                                         << R"({"event":"train","step":7,"seconds":15.5,"data_wait":3})"
                                         << "\n";
  const Json series = data()["series"]["train"];
  EXPECT_EQ(series["data_wait_percent"]["value"][1], 25);
  EXPECT_FALSE(series.contains("data_wait"));
}

TEST_F(RunRecordTest, FollowsSettingsThatChange) {
  RunRecord run(folder_ / "", {{"steps", "5"}}, {});
  run.refresh();
  EXPECT_EQ(run.data()["progress"]["state"], "finished");
  EXPECT_GT(run.data()["progress"]["written"], 1'000'000'000);
  run.configure({{"steps", "50"}, {"best-by", "bleu"}});
  run.refresh();
  EXPECT_EQ(run.data()["progress"]["state"], "unknown");
  EXPECT_EQ(run.data()["progress"]["best"]["figure"], "bleu");
  EXPECT_EQ(run.data()["series"]["valid"]["bleu"]["step"].size(), 1U);
}

TEST_F(RunRecordTest, ShowsSomeOfManyLinesAndValidations) {
  EXPECT_TRUE(data()["translations"]["lines"].empty());
  std::string text;
  for (int i = 1; i <= 100; ++i) text += std::to_string(i) + "\n";
  for (int i = 1; i <= 1000; ++i) write_validation(i, text);
  const Json translations = data()["translations"];
  EXPECT_EQ(translations["steps"].size(), 40U);
  EXPECT_EQ(translations["steps"].front(), 1);
  EXPECT_EQ(translations["steps"].back(), 1000);
  ASSERT_EQ(translations["lines"].size(), 5U);
  EXPECT_EQ(translations["lines"][0]["number"], 11);
  EXPECT_EQ(translations["lines"][4]["number"], 91);
  write_validation(5, std::string(10'000, 'x') + "\n");
  EXPECT_LT(data({1})["translations"].dump().size(), 5000U);
}

TEST_F(RunRecordTest, TakesUpWhatHasCome) {
  write_validation(5, "one\n");
  RunRecord run(folder_ / "", {}, {});
  run.refresh();
  write_validation(9, "two\n");
  run.refresh();
  EXPECT_EQ(run.data()["translations"]["lines"][0]["texts"], Json::parse(R"(["one", "two"])"));
  std::filesystem::resize_file(metrics_, 0);
  run.refresh();
  EXPECT_TRUE(run.data()["series"].empty());
  std::filesystem::remove(metrics_);
  EXPECT_THROW(run.refresh(), Error);
}

TEST_F(RunRecordTest, BecomesAPageOfABoundedSize) {
  std::string lines;
  for (int i = 1; i <= 20'000; ++i) {
    lines += "{\"event\":\"train\",\"step\":" + std::to_string(i) +
             ",\"loss\":1.2345678,\"seconds\":" + std::to_string(i) + ".25}\n";
  }
  folder_.write("metrics.jsonl", lines);
  std::vector<RunRecord> runs;
  runs.emplace_back(folder_ / "", RunConfiguration{{"seed", "</script><b>"}}, LineChoice{});
  runs.back().refresh();
  const std::string page = report_page(runs, 0);
  EXPECT_LT(page.size(), 100'000U);
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  EXPECT_EQ(report_page(runs, 0), page);
  EXPECT_NE(report_page(runs, 3).find("connect-src 'self'"), std::string::npos);
}

}  // namespace
}  // namespace nmt
