#include "serve/quality_judge.h"

#include <gmock/gmock.h>

#include <latch>
#include <map>

#include "common/error.h"
#include "serve/serving.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A score that depends on both texts.
double score_of(std::string_view source, std::string_view translation) {
  return static_cast<double>(source.size()) + static_cast<double>(translation.size()) / 64;
}

/// Computes score_of(), plus a constant, unless the translation is "bad".
class TestMetric final : public QualityMetric {
 public:
  explicit TestMetric(double more = 0) : more_(more) {}

  const char* name() const override { return "Test"; }
  bool reads_source() const override { return true; }
  bool needs_reference() const override { return false; }
  bool reads_reference() const override { return false; }
  std::vector<Judgment> judge(std::span<const JudgedTexts> texts, bool /*with_references*/,
                              const Done& /*done*/) const override {
    if (!std::exchange(has_begun_, true)) begun.count_down();
    if (is_broken) throw Error("the network computes infinity");
    if (is_held) released.wait();
    std::vector<Judgment> judgments;
    std::vector<std::string>& batch = batches.emplace_back();
    for (const JudgedTexts& each : texts) {
      if (each.translation == "bad") throw Error("the network computes NaN");
      batch.emplace_back(each.translation);
      judgments.push_back({.score = more_ + score_of(each.source, each.translation)});
    }
    return judgments;
  }

  bool is_held = false;
  std::atomic<bool> is_broken = false;
  mutable std::latch begun{1}, released{1};
  mutable std::vector<std::vector<std::string>> batches;

 private:
  double more_;
  mutable bool has_begun_ = false;
};

class QualityJudgeTest : public ::testing::Test {
 protected:
  /// Adds the translation of "text" for a request.
  void add(QualityJudge& judge, const std::string& translation, int request = 0) {
    TranslationResult result;
    result.translations = {{.text = translation, .alignment = {}, .sentences = {{"text", translation}}}};
    judge.add({.result = result,
               .request = &requests_.at(static_cast<std::size_t>(request)),
               .is_wanted = [this, request] { return request != unwanted_; },
               .done =
                   [this, translation](TranslationResult judged) {
                     std::unique_lock lock(mutex_);
                     results_[translation] = std::move(judged);
                     changed_.notify_one();
                   }});
  }
  double quality_of(const std::string& translation) {
    return results_.at(translation).translations.at(0).sentences.at(0).quality;
  }
  void wait_for(std::size_t results) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return results_.size() == results; });
  }

  const std::array<int, 2> requests_{};
  std::atomic<int> unwanted_ = -1;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, TranslationResult> results_;
};

TEST_F(QualityJudgeTest, RequestsTakeTurns) {
  const auto metric = std::make_shared<TestMetric>();
  metric->is_held = true;
  QualityJudge judge(metric, 0);
  add(judge, "first");
  metric->begun.wait();
  for (int i = 0; i < 20; ++i) add(judge, 'a' + std::to_string(i), 0);
  add(judge, "b", 1);
  metric->released.count_down();
  wait_for(22);
  EXPECT_EQ(metric->batches[0], std::vector<std::string>{"first"});
  EXPECT_EQ(metric->batches[1][4], "b");  // after four of the long request
  EXPECT_EQ(metric->batches[1].size(), 16U);
  EXPECT_EQ(quality_of("b"), score_of("text", "b"));
  EXPECT_EQ(quality_of("a13"), score_of("text", "a13"));
}

TEST_F(QualityJudgeTest, ASentenceFailsAlone) {
  const auto metric = std::make_shared<TestMetric>();
  metric->is_held = true;
  QualityJudge judge(metric, 0);
  for (const char* translation : {"first", "good", "bad", "fine"}) add(judge, translation);
  metric->released.count_down();
  wait_for(4);
  EXPECT_EQ(quality_of("good"), score_of("text", "good"));
  EXPECT_EQ(quality_of("fine"), score_of("text", "fine"));
  EXPECT_TRUE(results_["bad"].failure && results_["bad"].translations.empty());
}

TEST_F(QualityJudgeTest, KeepsEstimates) {
  const auto metric = std::make_shared<TestMetric>();
  QualityJudge judge(metric, 2);
  for (const char* translation : {"a", "b", "a", "c", "b"}) {
    results_.clear();
    add(judge, translation);
    wait_for(1);
    EXPECT_EQ(quality_of(translation), score_of("text", translation));
  }
  using Batch = std::vector<std::string>;
  EXPECT_THAT(metric->batches, ElementsAre(Batch{"a"}, Batch{"b"}, Batch{"c"}, Batch{"b"}));
}

TEST_F(QualityJudgeTest, DropsWhatNobodyWaitsFor) {
  const auto metric = std::make_shared<TestMetric>();
  metric->is_held = true;
  QualityJudge judge(metric, 0);
  add(judge, "a");
  metric->begun.wait();
  unwanted_ = 1;
  add(judge, "b", 1);
  add(judge, "c");
  metric->released.count_down();
  wait_for(2);
  EXPECT_TRUE(results_.contains("a") && results_.contains("c"));
}

class JudgingServerTest : public ServingTest {
 protected:
  /// Serves the model with a metric that judges translations.
  TranslationServer& serve_judged(ServerSettings settings = {}) {
    settings.open_metric = [this]() -> std::shared_ptr<const QualityMetric> {
      if (is_broken_) throw Error("no metric");
      return metric_;
    };
    serve(settings);
    EXPECT_TRUE(serve_until(*server_, [this] { return server_->is_ready(); }));
    return *server_;
  }

  std::shared_ptr<TestMetric> metric_ = std::make_shared<TestMetric>();
  std::atomic<bool> is_broken_ = false;
};

TEST_F(JudgingServerTest, EstimatesTheQualityOfEachSentence) {
  serve_judged();
  const std::string text = "Ba be. Bi bo. Ba be.";
  const json plain = body_of(post("/v1/translate", json{{"text", text}}.dump()))["translations"][0];
  EXPECT_FALSE(plain.contains("quality"));
  EXPECT_TRUE(metric_->batches.empty());
  json judged =
      body_of(post("/v1/translate", json{{"text", text}, {"quality", true}}.dump()))["translations"][0];
  EXPECT_EQ(judged["text"], plain["text"]);
  EXPECT_EQ(judged["score"], plain["score"]);
  const json& sentences = judged["sentences"];
  ASSERT_EQ(sentences.size(), 3U);
  double sum = 0;
  for (const json& each : sentences) {
    sum += each["quality"].get<double>();
    EXPECT_NEAR(each["quality"].get<double>(),
                score_of(each["source"].get<std::string>(), each["text"].get<std::string>()), 1e-6);
  }
  EXPECT_EQ(sentences[1]["source"], "Bi bo.");
  EXPECT_EQ(sentences[0], sentences[2]);
  EXPECT_NEAR(judged["quality"].get<double>(), sum / 3, 1e-5);
}

TEST_F(JudgingServerTest, JudgesAllTranslationsOfAListAndEventsOfAStream) {
  serve_judged();
  json asked = {{"text", {lines_[0], ""}}, {"quality", true}, {"n_best", 3}, {"split", false}};
  const json list = body_of(post("/v1/translate", asked.dump()))["translations"];
  ASSERT_EQ(list[0]["n_best"].size(), 3U);
  for (const json& each : list[0]["n_best"])
    EXPECT_NEAR(each["quality"].get<double>(), score_of(lines_[0], each["text"].get<std::string>()), 1e-6);
  EXPECT_FALSE(list[1].contains("quality"));  // an empty text has no sentences
  asked = {{"text", "Ba be. Bi bo."}, {"quality", true}, {"stream", true}};
  const std::string stream = post("/v1/translate", asked.dump());
  const std::size_t first = stream.find("data: ") + 6;
  const json event = json::parse(stream.substr(first, stream.find('\n', first) - first));
  EXPECT_EQ(event["sentences"][0]["source"], "Ba be.");
  EXPECT_TRUE(event.contains("quality"));
}

TEST_F(JudgingServerTest, JudgesTextsWithoutMarkupAndWithKeptParts) {
  serve_judged();
  const json asked = {{"text", "<p>Ba <b>be</b>. See https://example.org/ ba.</p>"},
                      {"markup", true},
                      {"keep", "urls"},
                      {"split", false},
                      {"quality", true}};
  const json judged = body_of(post("/v1/translate", asked.dump()))["translations"][0];
  ASSERT_EQ(judged["sentences"].size(), 1U) << judged;
  EXPECT_EQ(judged["sentences"][0]["source"], "Ba be. See https://example.org/ ba.");
  EXPECT_THAT(judged["sentences"][0]["text"].get<std::string>(),
              AllOf(HasSubstr("https://example.org/"), Not(HasSubstr("<"))));
  EXPECT_THAT(judged["text"].get<std::string>(), HasSubstr("<p>"));
}

TEST_F(JudgingServerTest, LeavesUnchangedTextsWithoutEstimates) {
  serve_judged();
  const json asked = {{"text", "Ba be."}, {"source", "de"}, {"target", "de"}, {"quality", true}};
  const json answer = body_of(post("/v1/translate", asked.dump()));
  EXPECT_EQ(answer["translations"][0]["text"], "Ba be.");
  EXPECT_FALSE(answer["translations"][0].contains("quality"));
}

TEST_F(JudgingServerTest, TextsFailWithTheMetric) {
  serve_judged();
  metric_->is_broken = true;
  const std::string asked = json{{"text", {lines_[0], ""}}, {"quality", true}}.dump();
  const json answer = body_of(post("/v1/translate", asked))["translations"];
  EXPECT_EQ(answer[0], (json{{"error", "the network computes infinity"}}));
  EXPECT_EQ(answer[1]["text"], "");
  metric_->is_broken = false;
  EXPECT_TRUE(body_of(post("/v1/translate", asked))["translations"][0].contains("quality"));
}

TEST_F(JudgingServerTest, RefusesWhatItCannotJudge) {
  json asked = {{"text", lines_}, {"quality", true}};
  serve();
  EXPECT_THAT(
      post("/v1/translate", asked.dump()),
      AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("'quality': this server has no model that judges")));
  serve_as({"fr-en", "en-de"}, {.pivot = "en"});
  asked = {{"text", "ba"}, {"source", "fr"}, {"target", "de"}, {"quality", true}};
  EXPECT_THAT(post("/v1/translate", asked.dump()), HasSubstr("'quality' needs a single model"));
}

TEST_F(JudgingServerTest, OthersDoNotWaitForTheJudge) {
  metric_->is_held = true;
  serve_judged({.timeout = std::chrono::seconds(600)});
  const std::string judged = json{{"text", lines_[0]}, {"quality", true}}.dump();
  HttpClient waiting(*server_, post_of("/v1/translate", judged));
  auto abandoned = std::make_unique<HttpClient>(*server_, post_of("/v1/translate", judged));
  ASSERT_TRUE(serve_until(*server_, [this] { return server_->is_busy(); }));
  EXPECT_THAT(post("/v1/translate", json{{"text", lines_[1]}}.dump()), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(post("/v1/translate", json{{"text", lines_[1]}, {"quality", true}, {"timeout", 0.05}}.dump()),
              StartsWith("HTTP/1.1 504 "));
  // A reload does not wait for requests that the old model judges.
  const auto before = server_->judge()->take();
  server_->reload();
  ASSERT_TRUE(serve_until(*server_, [&] { return server_->judge()->take() != before; }));
  is_broken_ = true;
  server_->reload();
  abandoned.reset();
  metric_->released.count_down();
  EXPECT_THAT(waiting.hear_all(), HasSubstr("\"quality\""));
  EXPECT_THAT(post("/v1/translate", judged), HasSubstr("\"quality\""));
}

TEST_F(JudgingServerTest, EndsWhereTheMetricCannotBeOpened) {
  is_broken_ = true;
  ServerSettings settings{.port = 0};
  settings.open_metric = []() -> std::shared_ptr<const QualityMetric> { throw Error("no metric"); };
  TranslationServer server(settings, {model_source("en-de=" + path_)}, kServing, silent_log());
  EXPECT_THAT([&] { serve_until(server, [] { return false; }); },
              ::testing::ThrowsMessage<Error>(HasSubstr("no metric")));
}

}  // namespace
}  // namespace nmt
