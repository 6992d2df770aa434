// Runs that train metrics: what an interruption, another division of updates and the figures of validations
// mean.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "backend/devices.h"
#include "common/recording_log.h"
#include "common/temporary_folder.h"
#include "nn/registry.h"
#include "nn/saved/saved_judge.h"
#include "tensor/communicator.h"
#include "train/metric/judgment_task.h"
#include "train/small_runs.h"
#include "train/trainer.h"
#include "translate/quality/comet_metric.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

class MetricRunTest : public ::testing::Test {
 protected:
  MetricRunTest() {
    settings_.steps = 12;
    settings_.batch_tokens = 60;
    settings_.micro_batch_tokens = 30;
    settings_.warmup = 4;
    settings_.log_every.amount = 5;
    settings_.valid_every.amount = 3;
    settings_.save_every.amount = 4;
    settings_.best_by = kKendallFigure;
    settings_.freeze = {"mix.weight"};
  }

  /// Judgments of which those without the word "b" are good.
  static Judgments judgments(int count) {
    Judgments all{.name = "made up", .texts = {}, .fingerprint = static_cast<std::uint64_t>(count)};
    for (int i = 0; i < count; ++i) {
      const bool is_good = i % 3 > 0;
      all.texts.push_back({std::string(static_cast<std::size_t>(i % 5), 'a') + " c",
                           is_good ? "a c" : "b b c", "a c", is_good ? 1.0 : i * 0.01});
    }
    return all;
  }

  TrainedComet new_comet() {
    TrainedComet comet{words_, std::make_unique<CometModel>(CometConfig(model_))};
    comet.model->allocate_for_training(*backend_);
    initialize_metric(*comet.model, 1);
    return comet;
  }

  /// Trains a new run, or continues one.
  void train(const std::string& name) {
    const TrainedComet comet = new_comet();
    const Judgments validation = judgments(10);
    const JudgmentCorpus corpus(judgments(40), CometText(words_, comet.model->longest_sequence(), false),
                                true);
    const JobContext job{.log = &log_};
    const RunDirectory run(folder_ / name, false);
    std::optional<ModelFile> state;
    if (std::filesystem::exists(run.state_path())) state.emplace(run.state_path(), kStateFormat);
    SingleRank alone;
    const auto task = [&](Workers& workers) {
      return std::make_unique<JudgmentTask>(settings_, JudgmentParts{comet, corpus, &validation, job},
                                            workers);
    };
    const Vocabularies vocabularies{words_, words_};
    Trainer trainer(settings_,
                    {{*comet.model, *backend_, alone, {{.corpus = &corpus}}, task, job},
                     &run,
                     write_model_settings(model_),
                     model_,
                     vocabularies,
                     LossKind::judgments,
                     validation.fingerprint},
                    state ? &*state : nullptr);
    run.write_config("");
    trainer.run();
  }

  std::vector<nlohmann::json> metrics(const std::string& name) const {
    return testing::metrics_in(folder_.read(name + "/metrics.jsonl"));
  }

  TemporaryFolder folder_;
  RecordingLog log_;
  Vocabulary words_ = testing::text_vocabulary();
  ModelSettings model_ =
      ModelRegistry::instance().complete({{"type", "comet"},
                                          {"d_model", "8"},
                                          {"d_ff", "16"},
                                          {"heads", "2"},
                                          {"encoder_layers", "1"},
                                          {"estimator_sizes", "6"},
                                          {"source_vocabulary", std::to_string(words_.rows())}});
  std::unique_ptr<Backend> backend_ = testing::open_device("cpu");
  TrainingSettings settings_;
};

TEST_F(MetricRunTest, AContinuedRunIsTheSame) {
  train("whole");
  settings_.steps = 7;
  train("continued");
  settings_.steps = 12;
  train("continued");
  EXPECT_EQ(folder_.read("whole/last.safetensors") == folder_.read("continued/last.safetensors"), true);
  EXPECT_EQ(metrics("whole").back(), metrics("continued").back());
}

TEST_F(MetricRunTest, FiguresAreThoseOfTheSavedMetric) {
  settings_.keep_best = 1;
  train("run");
  const nlohmann::json line = metrics("run").back();
  EXPECT_EQ(line.at("event"), "valid");
  EXPECT_FALSE(line.contains("perplexity"));
  const SavedJudge judge = open_judge(ModelFile(folder_ / "run/last.safetensors"), *backend_);
  const auto& comet = dynamic_cast<const CometModel&>(*judge.network);
  Workers workers(*backend_);
  const CometMetric metric(comet, judge.vocabulary, workers);
  const Judgments validation = judgments(10);
  double loss = 0;
  for (const RatedText& each : validation.texts) {
    const std::vector<JudgedTexts> texts = {{each.translation, each.source, each.reference}};
    const double error = metric.judge(texts, true)[0].score - each.score;
    loss += error * error / 10;
  }
  EXPECT_NEAR(line.at("loss").get<double>(), loss, 1e-5);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/best.safetensors"));
}

TEST_F(MetricRunTest, TheMixStaysThatOfTheLastHiddenState) {
  train("run");
  const SavedJudge judge = open_judge(ModelFile(folder_ / "run/last.safetensors"), *backend_);
  const auto& comet = dynamic_cast<const CometModel&>(*judge.network);
  EXPECT_THAT(download_reals(*backend_, comet.mix().value), ::testing::ElementsAre(0, 1));
}

TEST_F(MetricRunTest, LearnsWhatGoodTranslationsLookLike) {
  settings_.steps = 60;
  settings_.warmup = 20;
  settings_.dropout = {};
  settings_.learning_rate = 0.3;
  train("run");
  EXPECT_GT(metrics("run").back().at("pearson").get<double>(), 0.95);
}

}  // namespace
}  // namespace nmt
