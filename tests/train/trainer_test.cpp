#include "train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "backend/reference/reference.h"
#include "common/error.h"
#include "common/process/signals.h"
#include "common/test_data.h"
#include "train/small_runs.h"

namespace nmt {
namespace {

using TrainerTest = testing::SmallRuns;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;

/// A reference backend that records requests. Delayed downloads arrive when they are waited for.
class NotingBackend final : public ReferenceBackend {
 public:
  using ReferenceBackend::run;
  void run(const BeginUpdate& begin) override {
    notes += "begin ";
    ReferenceBackend::run(begin);
  }
  void run(const SumLosses& losses) override {
    notes += "losses ";
    ReferenceBackend::run(losses);
  }
  void run(const Adam& adam) override {
    notes += "adam ";
    ReferenceBackend::run(adam);
  }
  void upload(const Tensor& to, const void* from) override {
    notes += "upload ";
    ReferenceBackend::upload(to, from);
  }
  void download(void* to, const Tensor& from) override {
    notes += "download ";
    ReferenceBackend::download(to, from);
  }
  Transfer download_later(void* to, const Tensor& from) override {
    notes += "later ";
    std::vector<std::byte> bytes(from.bytes());
    ReferenceBackend::download(bytes.data(), from);
    return Transfer([this, to, bytes] {
      notes += "arrival ";
      std::ranges::copy(bytes, static_cast<std::byte*>(to));
    });
  }

  std::string notes;
};

TEST_F(TrainerTest, GoesOnAfterACrashInAnyUpdate) {
  train("whole");
  for (int crash = 1; crash <= 12; ++crash) expect_same_after_crash(crash, "whole");
}

TEST_F(TrainerTest, AFinishedRunKeepsItsCheckpoints) {
  settings_.keep_last = 3;
  settings_.keep_best = 2;
  train("run");
  const auto checkpoints = [this] {
    std::vector<std::int64_t> steps;
    for (const Checkpoint& checkpoint : checkpoints_in(folder_ / "run")) steps.push_back(checkpoint.step);
    return steps;
  };
  const std::vector<std::int64_t> before = checkpoints();
  ASSERT_GE(before.size(), 3U);
  settings_.keep_last = 1;
  settings_.keep_best = 0;
  for (int again = 0; again < 2; ++again) {
    train("run");
    EXPECT_EQ(checkpoints(), before);
  }
  // What a kill has prevented is done by the settings with which the run has finished.
  std::filesystem::copy(RunDirectory::checkpoint_path(folder_ / "run", 12),
                        RunDirectory::checkpoint_path(folder_ / "run", 1));
  train("run");
  EXPECT_EQ(checkpoints(), before);
  settings_.steps = 16;
  train("run");
  EXPECT_THAT(checkpoints(), ElementsAre(16));
}

/// Receives a signal in one of its products.
class SignalledBackend final : public ReferenceBackend {
 public:
  explicit SignalledBackend(int product, int signal = SIGTERM) : left_(product), signal_(signal) {}
  using ReferenceBackend::run;
  void run(const Linear& linear) override {
    count_product();
    ReferenceBackend::run(linear);
  }
  void run(const LinearBackward& linear) override {
    count_product();
    ReferenceBackend::run(linear);
  }
  void run(const Adam& adam) override {
    adams += 1;
    ReferenceBackend::run(adam);
  }

  int adams = 0;
  int adams_before_signal = 0;

 private:
  void count_product() {
    if (--left_ != 0) return;
    adams_before_signal = adams;
    std::raise(signal_);
  }

  int left_, signal_;
};

TEST_F(TrainerTest, GivesUpTheUpdateThatASignalComesIn) {
  settings_.steps = 6;
  settings_.delay = 2;
  settings_.valid_every = {};
  SignalledBackend calm(0);
  train_on(calm, "whole");
  for (const int product : {1, 20, 45, 100, 101, 102, 130}) {
    SCOPED_TRACE(product);
    const std::string name = "signalled-" + std::to_string(product);
    SignalledBackend signalled(product), after(0);
    {
      const InterruptGuard guard;
      stop_ = &InterruptGuard::stop_request();
      EXPECT_THROW(train_on(signalled, name), Interrupted);
    }
    stop_ = &never_stopped();
    EXPECT_LT(signalled.adams, calm.adams);
    EXPECT_EQ(last_state(name).counters.step, signalled.adams);
    train_on(after, name);
    EXPECT_EQ(signalled.adams + after.adams, calm.adams);
    expect_same_run(name, "whole");
  }
}

TEST_F(TrainerTest, SavesAndGoesOnWhereASignalAsksForThat) {
  settings_.valid_every = settings_.save_every = {};
  SignalledBackend calm(0);
  train_on(calm, "whole");
  const InterruptGuard guard;
  const SaveSignal save;
  stop_ = &InterruptGuard::stop_request();
  for (const int product : {1, 30, 90}) {
    SCOPED_TRACE(product);
    const std::string name = "saved-" + std::to_string(product), crashed = name + "-crashed";
    SignalledBackend signalled(product, SIGUSR1), again(product, SIGUSR1), after(0);
    train_on(signalled, name);
    expect_same_run(name, "whole");
    EXPECT_THROW(train_on(again, crashed,
                          [](int update) -> bool {
                            if (update == 11) throw std::bad_alloc();
                            return false;
                          }),
                 std::bad_alloc);
    // The update in which the signal came is saved, and nothing after it.
    const std::int64_t step = again.adams_before_signal + 1;
    ASSERT_LT(step, 11);
    EXPECT_EQ(last_state(crashed).counters.step, step);
    EXPECT_EQ(ModelFile(folder_ / crashed + "/last.safetensors").further_metadata().at("updates"),
              std::to_string(step));
    train_on(after, crashed);
    EXPECT_EQ(step + after.adams, calm.adams);
    expect_same_run(crashed, "whole");
  }
  stop_ = &never_stopped();
}

/// Returns the figures of the training line at this step.
nlohmann::json training_line(const std::vector<nlohmann::json>& lines, std::int64_t step) {
  const auto found = std::ranges::find_if(lines, [&](const nlohmann::json& line) {
    return line.at("event") == "train" && line.at("step") == step;
  });
  return found == lines.end() ? nlohmann::json() : *found;
}

TEST_F(TrainerTest, ALineAtTheEndIsOfMoreThanAFewUpdates) {
  settings_.steps = 20;
  train("whole");
  settings_.steps = 11;  // one update after the line at 10
  train("run");
  const std::vector<nlohmann::json> whole = metrics("whole"), cut = metrics("run");
  const nlohmann::json before = training_line(whole, 5), last_full = training_line(whole, 10),
                       last = training_line(cut, 11);
  EXPECT_EQ(training_line(cut, 10), last_full);
  const auto tokens = [](const nlohmann::json& line) { return line.at("target_tokens").get<double>(); };
  // Most of its figures include those of the previous line.
  const double part = (tokens(last_full) - tokens(before)) / (tokens(last) - tokens(before));
  EXPECT_GT(part, 0.7);
  settings_.log_every.amount = 1;
  settings_.steps = 11;
  train("single");
  const double alone = training_line(metrics("single"), 11).at("loss");
  EXPECT_NEAR(last.at("loss"), part * last_full.at("loss").get<double>() + (1 - part) * alone, 1e-9);
  // The following lines are those of a run that did not end there.
  settings_.log_every.amount = 5;
  settings_.steps = 20;
  train("run");
  EXPECT_EQ(training_line(metrics("run"), 15), training_line(whole, 15));
}

TEST_F(TrainerTest, ValidationsByAnotherMeasureDoNotCount) {
  settings_.keep_best = 9;
  const auto best_after = [&](std::int64_t steps) {
    settings_.steps = steps;
    train("run");
    const std::string said = log_.take();
    return std::pair(last_state("run").best.size(), said);
  };
  EXPECT_THAT(best_after(6), Pair(2, ""));
  EXPECT_THAT(best_after(9), Pair(3, ""));
  validation_seed_ = 4;
  EXPECT_THAT(best_after(12), Pair(1, HasSubstr("the text for validation has changed")));
  settings_.best_by = "bleu";
  EXPECT_THAT(best_after(18), Pair(2, HasSubstr("`best_by` has changed")));
}

/// Returns the values of `figure` in the validations of a run; null where it is missing.
std::vector<nlohmann::json> figures(const std::vector<nlohmann::json>& lines, const std::string& figure) {
  std::vector<nlohmann::json> figures;
  for (const nlohmann::json& line : lines) {
    if (line.at("event") == "valid") figures.push_back(line.value(figure, nlohmann::json()));
  }
  return figures;
}

/// A command that prints decreasing numbers, fails, and then prints the number of lines. If the file `waits`
/// or `dies` exists, it ends the run and waits or fails.
std::string command_of_user(const TemporaryFolder& folder) {
  folder.write("score.sh", R"([ "$1" = 'an argument' ] || exit 9
case $2 in
*03.txt) echo 0.7 ;;
*06.txt)
  if rm waits 2>/dev/null; then kill -TERM "$TRAINER"; sleep 60; fi
  if rm dies 2>/dev/null; then kill -TERM "$TRAINER"; exit 143; fi
  echo 0.4 ;;
*09.txt) exit 3 ;;
*) wc -l <"$2" ;;
esac
)");
  return fmt::format("cd {} && TRAINER={} sh score.sh 'an argument'\n", folder / "", ::getpid());
}

TEST_F(TrainerTest, ACommandMeasuresTranslations) {
  settings_.valid_command = command_of_user(folder_);
  settings_.best_by = "command";
  settings_.early_stopping = 2;  // as one without the figure is not one that is no better
  train("whole");
  EXPECT_THAT(figures(metrics("whole"), "command"), ElementsAre(0.7, 0.4, nullptr, 10));
  EXPECT_THAT(last_state("whole").best, ElementsAre(BestValidations::Entry{12, 10}));
  EXPECT_EQ(
      log_.take(),
      "warning: `valid_command` failed, so this validation has no figure 'command': its exit code is 3\n");
  for (const char* how : {"waits", "dies"}) {
    folder_.write(how, "");
    const InterruptGuard guard;
    stop_ = &InterruptGuard::stop_request();
    EXPECT_THROW(train("run"), Interrupted);
    EXPECT_TRUE(last_state("run").validation_due) << how;
  }
  stop_ = &never_stopped();
  train("run");
  expect_same_run("run", "whole");
}

TEST_F(TrainerTest, TheLearningRateFallsWhenValidationsStall) {
  settings_.schedule = "constant";
  settings_.learning_rate = 1e-3;
  settings_.warmup = 0;
  settings_.log_every.amount = settings_.valid_every.amount = 1;
  settings_.steps = 7;
  settings_.best_by = "command";
  settings_.valid_command = "case $(basename \"$1\") in *6.txt) echo 9 ;; *) echo 5 ;; esac #";
  settings_.stalled_decay = 0.5;
  settings_.stalled_patience = 2;
  const auto rates = [this](const std::string& name) {
    std::vector<double> of_updates;
    for (const nlohmann::json& line : metrics(name))
      if (line.at("event") == "train") of_updates.push_back(line.at("learning_rate"));
    return of_updates;
  };
  // Validations 2 to 5 are no better than the first one, 6 is.
  train("whole");
  EXPECT_THAT(rates("whole"), ::testing::Pointwise(::testing::DoubleNear(1e-9),
                                                   {1e-3, 1e-3, 1e-3, 5e-4, 5e-4, 2.5e-4, 2.5e-4}));
  EXPECT_EQ(last_state("whole").rate_factor, 0.25);
  for (const std::int64_t steps : {4, 7}) {
    settings_.steps = steps;
    train("again");
  }
  expect_same_tensors("again", "whole");
  EXPECT_EQ(rates("again"), rates("whole"));
}

TEST_F(TrainerTest, SimCutAndLayerDropGoOnAfterACrash) {
  settings_.simcut = 3;
  settings_.simcut_rate = 0.2;
  settings_.dropout.layer = 0.3;
  train("whole");
  settings_.simcut_rate = 0.3;
  train("other rate");
  EXPECT_NE(metrics("other rate"), metrics("whole"));
  settings_.simcut_rate = 0.2;
  for (const int crash : {1, 5, 10}) expect_same_after_crash(crash, "whole");
}

TEST_F(TrainerTest, ACommandPrintsANumber) {
  settings_.steps = 3;
  const auto said_of = [this](const std::string& command) {
    settings_.valid_command = command;
    std::filesystem::remove_all(folder_ / "run");
    train("run");
    return figures(metrics("run"), "command")[0].dump() + log_.take();
  };
  EXPECT_EQ(said_of("printf ' -1.5e-1\\n\\n' #"), "-0.15");
  EXPECT_THAT(said_of("echo COMET 0.8 #"), HasSubstr("it printed 'COMET 0.8', not a number"));
  EXPECT_THAT(said_of("echo nan #"), HasSubstr("it printed 'nan', not a number"));
  EXPECT_THAT(said_of("true"), HasSubstr("it printed '', not a number"));
}

TEST_F(TrainerTest, SkipsUpdatesThatAreNotFinite) {
  train("skipping", [](int update) { return update == 3 || (update > 6 && update <= 15); });
  const std::string log = log_.take();
  EXPECT_THAT(log, HasSubstr("update 3 skipped: its loss or gradient is not finite"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "skipping/step-00000012.safetensors"));
}

TEST_F(TrainerTest, WaitsForAnUpdateWhenTheNextIsUnderWay) {
  settings_.log_every = settings_.valid_every = settings_.save_every = {};
  NotingBackend backend;
  train_on(backend, "run");
  const std::string& notes = backend.notes;
  // The first update also uploads the table of positions.
  const std::size_t second = notes.find("begin ", notes.find("begin ") + 1);
  const std::size_t end = notes.find(" download", second);
  ASSERT_NE(end, std::string::npos) << notes;
  EXPECT_THAT(notes.substr(second, end - second),
              ::testing::MatchesRegex("(begin (upload )+(losses )+adam later arrival ){11}arrival"));
  EXPECT_THAT(notes, HasSubstr("upload upload losses losses")) << "no update has two micro-batches";
}

TEST_F(TrainerTest, HearingOfAnUpdateLateChangesNothing) {
  settings_.ema = 0.9;
  settings_.valid_every = settings_.save_every = {};
  int runs = 0;
  for (const std::set<int>& skipped : {std::set<int>{}, {1}, {2, 3}, {1, 2, 4, 6, 7, 8, 13}, {12}}) {
    const auto weights = [&](double log_every) {
      settings_.log_every.amount = log_every;  // before a line is written, the update is settled
      const std::string name = std::to_string(runs++);
      train(name, [&](int update) { return skipped.contains(update); });
      return folder_.read(name + "/last.safetensors");
    };
    const std::string late = weights(0);
    EXPECT_TRUE(late == weights(1));
    EXPECT_TRUE(late == weights(3));
  }
}

// Recorded when the host still waited for each update.
TEST_F(TrainerTest, SkippedUpdatesLeaveTheRestAsItWas) {
  device_ = "reference";
  settings_.ema = 0.9;
  settings_.clip_norm = 0.3;
  const std::set<int> skipped = {1, 4, 5, 8, 11, 12, 17};
  train("skipping", [&](int update) { return skipped.contains(update); });
  std::string said;
  for (const int step : {1, 3, 3, 5, 7, 7, 11}) {
    said += fmt::format("warning: update {} skipped: its loss or gradient is not finite\n", step);
  }
  EXPECT_EQ(log_.take(), said);
  const std::vector<nlohmann::json> lines = metrics("skipping");
  std::ifstream recorded(testing::test_data("train/skipping.jsonl"));
  for (const nlohmann::json& line : lines) {
    std::string text;
    ASSERT_TRUE(std::getline(recorded, text)) << line;
    const nlohmann::json expected = nlohmann::json::parse(text);
    ASSERT_EQ(line.size(), expected.size());
    for (const auto& [name, value] : expected.items()) {
      if (!value.is_number_float()) {
        EXPECT_EQ(line.at(name), value);
      } else {  // C libraries differ in the last bit of exp
        EXPECT_NEAR(line.at(name), value, 1e-11 * std::abs(value.get<double>())) << name << " in " << text;
      }
    }
  }
  EXPECT_EQ(recorded.peek(), std::ifstream::traits_type::eof());
}

TEST_F(TrainerTest, AdamHasTheConstantsOfItsSettings) {
  train("usual");
  const std::string usual = folder_.read("usual/last.safetensors");
  for (double TrainingSettings::*constant :
       {&TrainingSettings::adam_beta1, &TrainingSettings::adam_beta2, &TrainingSettings::adam_epsilon,
        &TrainingSettings::weight_decay}) {
    const TrainingSettings settings = settings_;
    settings_.*constant = 0.1;
    train("other");
    EXPECT_FALSE(folder_.read("other/last.safetensors") == usual);
    std::filesystem::remove_all(folder_ / "other");
    settings_ = settings;
  }
}

// With both, an update is a pass.
TEST_F(TrainerTest, AdafactorGoesOnAfterACrash) {
  settings_.optimizer = "adafactor";
  settings_.ema = 0.9;
  train("whole");
  expect_same_after_crash(7, "whole");
  EXPECT_EQ(
      ModelFile(RunDirectory::state_path(folder_ / "whole"), kStateFormat).find("first_moment.embedding"),
      nullptr);
}

TEST_F(TrainerTest, UpdatesOfLowRankGoOnAfterACrash) {
  for (const auto& [precision, optimizer] : {std::pair{"f32", "adam"}, {"bf16", "adafactor"}}) {
    SCOPED_TRACE(precision);
    precision_ = precision;
    settings_.optimizer = optimizer;
    settings_.ema = 0.9;
    settings_.lora = LowRankSettings{2, 4};
    const std::string whole = std::string("whole-") + precision;
    train(whole);
    const std::string name = std::string("crashed-") + precision;
    EXPECT_THROW(train(name,
                       [](int update) -> bool {
                         if (update == 7) throw std::bad_alloc();
                         return false;
                       }),
                 std::bad_alloc);
    train(name);
    expect_same_run(name, whole);
    for (const auto& [file, format] :
         {std::pair{"/last.safetensors", kModelFormat}, {"/state/training.safetensors", kStateFormat}}) {
      const ModelFile saved(folder_ / whole + file, format);
      EXPECT_EQ(low_rank_base(saved).value().path, folder_ / "base.safetensors");
      for (const FileTensor& tensor : saved.tensors())
        EXPECT_TRUE(tensor.name.starts_with("vocabulary.") || tensor.name.find(".lora_") != std::string::npos)
            << tensor.name;
    }
    EXPECT_NE(metrics(whole).front().at("loss"), metrics(whole).back().at("loss"));
  }
}

TEST_F(TrainerTest, DelayedUpdatesAreThoseOfLargeBatches) {
  device_ = "reference";
  settings_.delay = 1000;
  train("delayed");
  settings_.delay = 1;
  settings_.batch_tokens = 100'000;
  train("large");
  expect_same_to_rounding("delayed", "large", false);
}

TEST_F(TrainerTest, GivesUpWhenTheyStayNotFinite) {
  EXPECT_THAT([&] { train("failed", [](int update) { return update > 7; }); },
              ThrowsMessage<Error>(AllOf(HasSubstr("10 updates in a row were not finite at step 7"),
                                         HasSubstr("the newest checkpoint is"),
                                         HasSubstr("failed/step-00000006.safetensors"))));
  EXPECT_THAT([&] { train("hopeless", [](int) { return true; }); },
              ThrowsMessage<Error>(HasSubstr("no checkpoint was saved yet")));
  train("whole");
  train("failed");  // from the state before; nothing fails this time
  expect_same_run("failed", "whole");
}

TEST_F(TrainerTest, IsAFunctionOfTheNumberOfThreads) {
  settings_.steps = 6;
  std::vector<std::vector<nlohmann::json>> lines;
  for (threads_ = 1; threads_ <= 3; ++threads_) {
    SCOPED_TRACE(threads_);
    const std::string name = std::to_string(threads_);
    train(name);
    train(name + "-again");
    expect_same_run(name, name + "-again");
    lines.push_back(metrics(name));
  }
  // For different numbers of threads, batches and counts are equal, and sums differ only by rounding.
  for (std::size_t threads = 1; threads < lines.size(); ++threads) {
    ASSERT_EQ(lines[threads].size(), lines[0].size());
    for (std::size_t i = 0; i < lines[0].size(); ++i) {
      for (const char* count : {"step", "epoch", "source_tokens", "target_tokens"}) {
        EXPECT_EQ(lines[threads][i][count], lines[0][i][count]);
      }
      EXPECT_NEAR(lines[threads][i]["loss"], lines[0][i]["loss"], 1e-4);
    }
  }
}

}  // namespace
}  // namespace nmt
