#include "insight/run_progress.h"

#include <gtest/gtest.h>

#include "insight/run_record.h"

namespace nmt {
namespace {

using Json = nlohmann::ordered_json;

Json line_of(const char* event, int step, double time) {
  return {{"event", event}, {"step", step}, {"epoch", 1}, {"target_tokens", 10 * step}, {"seconds", time}};
}

Json validation(int step, double perplexity, double bleu) {
  Json json = line_of("valid", step, step);
  json["perplexity"] = perplexity;
  json["bleu"] = bleu;
  return json;
}

TEST(RunProgress, TellsWhatIsLeftOfARunThatTrains) {
  RunProgress progress({{"steps", "400"}, {"stop-after", "10m"}});
  EXPECT_EQ(progress.data(true, {})["left"], nullptr) << "nothing is known yet";
  progress.add(line_of("train", 100, 30));
  const Json data = progress.data(true, {});
  EXPECT_EQ(data["state"], "training");
  EXPECT_EQ(data["part"], 0.25);
  EXPECT_EQ(data["left"], 90);
  EXPECT_EQ(progress.data(false, {})["state"], "stopped");
  EXPECT_EQ(progress.data(false, {})["left"], nullptr);
  EXPECT_EQ(progress.data({}, {})["state"], "unknown");
}

TEST(RunProgress, KnowsEveryEndOfARun) {
  const auto state_after = [](const RunConfiguration& configuration) {
    RunProgress progress(configuration);
    for (const int step : {100, 200, 300}) {
      progress.add(line_of("train", step, 60 * step));
      progress.add(validation(step, step, step));
    }
    const Json data = progress.data(false, {});
    EXPECT_EQ(data["limit"].is_null(), data["state"] != "finished");
    return data["limit"].is_null() ? data["state"] : data["limit"];
  };
  EXPECT_EQ(state_after({{"steps", "300"}}), "--steps");
  EXPECT_EQ(state_after({{"steps", "301"}}), "stopped");
  EXPECT_EQ(state_after({{"stop-after", "5h"}}), "--stop-after");
  EXPECT_EQ(state_after({{"early-stopping", "2"}}), "--early-stopping");
  EXPECT_EQ(state_after({{"early-stopping", "2"}, {"best-by", "bleu"}}), "stopped");
  EXPECT_EQ(state_after({}), "stopped") << "a default that is not written down is not a plan";
  EXPECT_EQ(state_after({{"steps", "x"}, {"stop-after", "-"}, {"best-by", "<b>"}}), "stopped");
}

TEST(RunProgress, TakesFromTheStateWhatLinesDoNotTell) {
  RunProgress progress(RunConfiguration{{"epochs", "2"}});
  progress.add(line_of("train", 100, 100));
  TrainingState state;
  state.counters.step = 100;
  state.counters.target_tokens = 1000;
  state.epochs = 0.5;
  EXPECT_EQ(progress.data(false, state)["tokens_per_pass"], 2000);
  EXPECT_EQ(progress.data(true, state)["part"], 0.25);
  progress.add(line_of("train", 200, 200));
  EXPECT_EQ(progress.data(true, state)["part"], 0.5);
  state.counters.step = 400;
  state.epochs = 2;
  EXPECT_EQ(progress.data(false, state)["state"], "finished");
  state.validation_due = true;
  EXPECT_EQ(progress.data(false, state)["state"], "stopped");
}

TEST(RunProgress, NamesTheBestValidation) {
  RunProgress progress(RunConfiguration{{"best-by", "bleu"}});
  EXPECT_EQ(progress.data({}, {})["best"], nullptr);
  progress.add(validation(100, 9, 11));
  progress.add(validation(200, 8, 13));
  progress.add(validation(300, 7, 12));
  EXPECT_EQ(progress.data({}, {})["best"], Json::parse(R"({"figure": "bleu", "step": 200, "value": 13.0})"));
}

TEST(PassLength, ComesFromThePassesThatWereBegun) {
  PassLength pass;
  pass.add(1, 500);
  pass.add(1, 900);
  EXPECT_FALSE(pass.value());
  pass.add(2, 1100);
  EXPECT_NEAR(*pass.value(), 1000, 100);
  pass.add(10, 9990);
  pass.add(11, 10'050);
  EXPECT_NEAR(*pass.value(), 1000, 5);
  pass.add(0, 7);
  EXPECT_NEAR(*pass.value(), 1000, 5);
}

TEST(DataWait, IsTheShareOfEachInterval) {
  DataWait wait;
  const auto after = [&](double time, double waited) {
    return wait.add({{"seconds", time}, {"data_wait", waited}});
  };
  EXPECT_EQ(after(10, 4), 40);
  EXPECT_EQ(after(20, 4), 0);
  EXPECT_EQ(after(24, 5), 25);
  EXPECT_EQ(after(24, 5), std::nullopt);
  EXPECT_EQ(wait.add({{"seconds", "x"}, {"data_wait", 1}}), std::nullopt);
}

}  // namespace
}  // namespace nmt
