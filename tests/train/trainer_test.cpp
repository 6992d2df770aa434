#include "train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "backend/devices.h"
#include "backend/factory.h"
#include "backend/narrow_range.h"
#include "backend/reference/reference.h"
#include "common/error.h"
#include "common/log.h"
#include "common/temporary_folder.h"
#include "common/test_data.h"
#include "data/generated_text.h"
#include "data/small_vocabulary.h"
#include "data/text_corpus.h"
#include "tensor/reals.h"
#include "tensor/thread_ranks.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;

/// Stands between the losses of an update and their use, where a test does harm.
class Meddler final : public Communicator {
 public:
  /// Takes the number of an update that is tried, from 1; true: its losses become no numbers.
  using Meddle = std::function<bool(int)>;

  Meddler(Communicator& ranks, Backend& backend, Meddle meddle)
      : ranks_(ranks), backend_(backend), meddle_(std::move(meddle)) {}
  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }
  void all_reduce(const Tensor& x) override {
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    const bool are_sums = x.size() == sums_in(Tensor(1, kUpdateFigures, DType::f64, nullptr, {})).size();
    if (are_sums && meddle_(++tried_)) upload_reals(backend_, x, {nan, nan, 1});
    ranks_.all_reduce(x);
  }
  void reduce_scatter(const Tensor& x, DType travel) override { ranks_.reduce_scatter(x, travel); }
  void all_gather(const Tensor& x) override { ranks_.all_gather(x); }
  void finish() override { ranks_.finish(); }
  void broadcast(std::span<std::byte> message) override { ranks_.broadcast(message); }
  std::vector<std::byte> gather(std::span<const std::byte> message) override {
    return ranks_.gather(message);
  }

 private:
  Communicator& ranks_;
  Backend& backend_;
  Meddle meddle_;
  int tried_ = 0;
};

/// The reference with a note of what it was asked for. Downloads for later arrive when they are waited for.
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

class TrainerTest : public ::testing::Test {
 protected:
  TrainerTest() {
    set_log_level(LogLevel::warning);
    settings_.steps = 12;
    settings_.batch_tokens = 100;
    settings_.micro_batch_tokens = 60;
    settings_.warmup = 4;
    settings_.log_every.amount = 5;
    settings_.valid_every.amount = 3;
    settings_.valid_beam = 1;
    settings_.save_every.amount = 4;
    settings_.keep_last = 2;
  }
  ~TrainerTest() override { set_log_level(LogLevel::info); }

  /// Each rank writes files of its own.
  ParallelText text(int rank, int seed, int pairs) const {
    const GeneratedText::Pair sides = GeneratedText(seed).text(pairs);
    const std::string name = std::to_string(rank);
    return {folder_.write("source-" + name, sides.source), folder_.write("target-" + name, sides.target)};
  }

  SavedModel new_model(Backend& backend) const {
    SavedModel model{.settings = ModelRegistry::instance().complete({{"type", "transformer"},
                                                                     {"d_model", "16"},
                                                                     {"d_ff", "32"},
                                                                     {"heads", "2"},
                                                                     {"encoder_layers", "1"},
                                                                     {"decoder_layers", "1"}}),
                     .vocabularies = {words_, words_}};
    for (const char* side : {"source_vocabulary", "target_vocabulary"}) {
      model.settings[side] = std::to_string(words_.size());
    }
    model.model = ModelRegistry::instance().make(model.settings);
    model.marks = marks_of(model.vocabularies, *model.model);
    model.model->parameters().allocate(backend, true);
    model.model->parameters().initialize(1);
    return model;
  }

  /// Begins a run in a folder, or goes on with the one there. `meddle` is asked on the last rank.
  void train(
      const std::string& name, const Meddler::Meddle& meddle = [](int) { return false; }) {
    train_ranks(name, [&](const auto& train_rank) {
      run_ranks(ranks_, [&](Communicator& communicator) {
        const auto backend = open_rank(communicator.rank());
        const auto connected = backend->connect(communicator);
        const bool last = communicator.rank() == communicator.size() - 1;
        Meddler meddler(
            connected ? *connected : communicator, *backend, last ? meddle : [](int) { return false; });
        train_rank(*backend, meddler);
      });
    });
  }
  /// Cards have a number each, and compute in f32.
  std::unique_ptr<Backend> open_rank(int rank) const {
    if (device_ != "cuda")
      return open_backend({.device = device_, .precision = precision_, .threads = threads_});
    return open_backend({.device = fmt::format("cuda:{}", rank), .precision = "f32"});
  }
  /// The same of one rank, on this device.
  void train_on(
      Backend& backend, const std::string& name, const Meddler::Meddle& meddle = [](int) { return false; }) {
    train_ranks(name, [&](const auto& train_rank) {
      SingleRank alone;
      Meddler meddler(alone, backend, meddle);
      train_rank(backend, meddler);
    });
  }
  /// Calls work(train_rank), which calls train_rank(backend, communicator) for each rank.
  template <class Work>
  void train_ranks(const std::string& name, const Work& work) {
    const TextCorpus corpus(text(0, 2, 60), {words_, words_, {}});
    const RunDirectory run(folder_ / name, false);
    std::optional<ModelFile> state;
    if (fs::exists(run.state_path())) state.emplace(run.state_path(), kStateFormat);
    work([&](Backend& backend, Communicator& communicator) {
      train_rank(backend, communicator, corpus, run, state ? &*state : nullptr);
    });
  }
  void train_rank(Backend& backend, Communicator& communicator, const Corpus& corpus, const RunDirectory& run,
                  const ModelFile* state) {
    SavedModel model = new_model(backend);
    const ParallelText lines = text(communicator.rank(), validation_seed_, 10);
    const RankParts parts{model, backend, communicator, corpus,
                          validation_text(lines, {words_, words_, {}}, 100)};
    if (communicator.rank() > 0) {
      Replica replica(settings_, parts, state != nullptr ? read_state(*state) : TrainingState{}, state);
      follow(replica, communicator);
      return;
    }
    Trainer trainer(settings_, {parts, &run, write_model_settings(model.settings)}, state);
    run.write_config("");
    trainer.run();
  }

  /// The lines of metrics.jsonl without what depends on time.
  std::vector<nlohmann::json> metrics(const std::string& name) const {
    std::istringstream text(folder_.read(name + "/metrics.jsonl"));
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(text, line);) {
      lines.push_back(nlohmann::json::parse(line));
      for (const char* time : {"seconds", "data_wait", "target_tokens_per_second"}) lines.back().erase(time);
    }
    return lines;
  }

  /// All that a run leaves but the state, which tells times.
  void expect_same_run(const std::string& name, const std::string& other) const {
    EXPECT_EQ(metrics(name), metrics(other));
    for (const std::string& folder : {std::string(), std::string("/valid")}) {
      for (const auto& [from, to] : {std::pair{name, other}, std::pair{other, name}}) {
        for (const auto& entry : fs::directory_iterator(folder_ / from + folder)) {
          const std::string file = folder + "/" + entry.path().filename().string();
          if (!entry.is_regular_file() || file == "/metrics.jsonl") continue;
          EXPECT_EQ(folder_.read(from + file) == folder_.read(to + file), true) << file;
        }
      }
    }
  }

  /// A run that crashes in this update, and goes on, leaves what the other one does.
  void expect_same_after_crash(int crash, const std::string& other) {
    SCOPED_TRACE(crash);
    const std::string name = "crashed-" + std::to_string(crash);
    const auto crashing = [&](int update) -> bool {
      if (update == crash) throw std::bad_alloc();
      return false;
    };
    EXPECT_THROW(train(name, crashing), std::bad_alloc);
    train(name);
    expect_same_run(name, other);
  }

  /// The models and the states that two runs end with have the same bits.
  void expect_same_tensors(const std::string& name, const std::string& other) const {
    for (const auto& [file, format] :
         {std::pair{"/last.safetensors", kModelFormat}, {"/state/training.safetensors", kStateFormat}}) {
      const ModelFile of_one(folder_ / name + file, format), of_other(folder_ / other + file, format);
      ASSERT_EQ(of_one.tensors().size(), of_other.tensors().size());
      for (const FileTensor& tensor : of_one.tensors()) {
        const FileTensor* same = of_other.find(tensor.name);
        ASSERT_NE(same, nullptr) << tensor.name;
        EXPECT_TRUE(std::equal(tensor.data, tensor.data + tensor.bytes(), same->data)) << file << tensor.name;
      }
    }
  }

  /// All numbers of the states that two runs end with, and of their metrics, are the same to rounding, and
  /// all counts are equal.
  void expect_same_to_rounding(const std::string& name, const std::string& other,
                               bool same_batches = true) const {
    const std::vector<nlohmann::json> lines = metrics(name), others = metrics(other);
    ASSERT_EQ(lines.size(), others.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      ASSERT_EQ(lines[i].size(), others[i].size());
      for (const auto& [key, value] : lines[i].items()) {
        if (!value.is_number_float()) {
          EXPECT_EQ(value, others[i].at(key));
        } else {
          EXPECT_NEAR(value, others[i].at(key), 1e-9 * std::abs(value.get<double>())) << key;
        }
      }
    }
    const ModelFile file(RunDirectory::state_path(folder_ / name), kStateFormat);
    const ModelFile other_file(RunDirectory::state_path(folder_ / other), kStateFormat);
    if (same_batches) {
      EXPECT_EQ(read_state(file).position, read_state(other_file).position);
    }
    for (const FileTensor& tensor : file.tensors()) {
      if (!is_real(tensor.dtype)) continue;
      const auto elements = [](const FileTensor& of) {
        return widen(of.data, static_cast<std::size_t>(of.size()), of.dtype);
      };
      EXPECT_THAT(elements(tensor),
                  ::testing::Pointwise(::testing::DoubleNear(1e-8), elements(*other_file.find(tensor.name))))
          << tensor.name;
    }
  }

  TemporaryFolder folder_;
  Vocabulary words_ = small_vocabulary();
  TrainingSettings settings_;
  std::string device_ = "cpu", precision_ = "auto";
  int ranks_ = 1, threads_ = 1, validation_seed_ = 3, runs_ = 0;
};

TEST_F(TrainerTest, GoesOnAfterACrashInAnyUpdate) {
  train("whole");
  for (int crash = 1; crash <= 12; ++crash) expect_same_after_crash(crash, "whole");
}

TEST_F(TrainerTest, ValidationsByAnotherMeasureDoNotCount) {
  settings_.keep_best = 9;
  const auto best_after = [&](std::int64_t steps) {
    settings_.steps = steps;
    ::testing::internal::CaptureStderr();
    train("run");
    const std::string said = ::testing::internal::GetCapturedStderr();
    const ModelFile file(RunDirectory::state_path(folder_ / "run"), kStateFormat);
    return std::pair(read_state(file).best.size(), said);
  };
  EXPECT_THAT(best_after(6), Pair(2, ""));
  EXPECT_THAT(best_after(9), Pair(3, ""));
  validation_seed_ = 4;
  EXPECT_THAT(best_after(12), Pair(1, HasSubstr("the text for validation has changed")));
  settings_.best_by = "bleu";
  EXPECT_THAT(best_after(18), Pair(2, HasSubstr("--best-by has changed")));
}

TEST_F(TrainerTest, SkipsUpdatesThatAreNotFinite) {
  ::testing::internal::CaptureStderr();
  train("skipping", [](int update) { return update == 3 || (update > 6 && update <= 15); });
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("update 3 skipped: its loss or gradient is not finite"));
  EXPECT_TRUE(fs::exists(folder_ / "skipping/step-00000012.safetensors"));
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
  for (const std::set<int>& skipped : {std::set<int>{}, {1}, {2, 3}, {1, 2, 4, 6, 7, 8, 13}, {12}}) {
    const auto weights = [&](double log_every) {
      settings_.log_every.amount = log_every;  // before a line is written, the update is settled
      const std::string name = std::to_string(runs_++);
      ::testing::internal::CaptureStderr();
      train(name, [&](int update) { return skipped.contains(update); });
      ::testing::internal::GetCapturedStderr();
      return folder_.read(name + "/last.safetensors");
    };
    const std::string late = weights(0);
    EXPECT_TRUE(late == weights(1));
    EXPECT_TRUE(late == weights(3));
  }
}

// What was recorded when the host still waited for each update.
TEST_F(TrainerTest, SkippedUpdatesLeaveTheRestAsItWas) {
  device_ = "reference";
  settings_.ema = 0.9;
  settings_.clip_norm = 0.3;
  const std::set<int> skipped = {1, 4, 5, 8, 11, 12, 17};
  ::testing::internal::CaptureStderr();
  train("skipping", [&](int update) { return skipped.contains(update); });
  std::string said;
  for (const int step : {1, 3, 3, 5, 7, 7, 11}) {
    said += fmt::format("warning: update {} skipped: its loss or gradient is not finite\n", step);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), said);
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

TEST_F(TrainerTest, IsTheSameForAnyNumberOfRanks) {
  device_ = "reference";
  settings_.ema = 0.9;
  settings_.clip_norm = 0.3;
  const auto meddle = [](int update) { return update == 1 || update == 5 || update == 6; };
  ::testing::internal::CaptureStderr();
  train("1", meddle);
  const std::string said = ::testing::internal::GetCapturedStderr();
  for (ranks_ = 2; ranks_ <= 3; ++ranks_) {
    SCOPED_TRACE(ranks_);
    const std::string name = std::to_string(ranks_);
    ::testing::internal::CaptureStderr();
    train(name, meddle);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), said);
    expect_same_to_rounding(name, "1");
    ::testing::internal::CaptureStderr();
    train(name + "-again", meddle);
    ::testing::internal::GetCapturedStderr();
    expect_same_run(name, name + "-again");
  }
}

TEST_F(TrainerTest, IsTheSameOnTwoCards) {
  if (!testing::has_two_cards()) GTEST_SKIP() << "there are no two cards, nor the emulator in their place";
  device_ = "cuda";
  settings_.ema = 0.9;
  settings_.steps = 2;
  settings_.log_every.amount = 1;
  train("1");
  ranks_ = 2;
  train("2");
  const auto last_loss = [this](const char* name) {
    return metrics(name).back().at("perplexity").get<double>();
  };
  EXPECT_NEAR(last_loss("2"), last_loss("1"), 1e-4);
  train("again");
  expect_same_run("2", "again");
}

TEST_F(TrainerTest, ACardThatFailsEndsAll) {
  if (!testing::has_two_cards()) GTEST_SKIP() << "there are no two cards, nor the emulator in their place";
  device_ = "cuda";
  ranks_ = 2;
  const auto failing = [](int update) -> bool {
    if (update == 2) throw Error("no device any more");
    return false;
  };
  EXPECT_THAT([&] { train("run", failing); }, ThrowsMessage<Error>("no device any more"));
}

TEST_F(TrainerTest, GoesOnWithAnotherNumberOfRanks) {
  device_ = "reference";
  train("whole");
  const std::int64_t steps = std::exchange(settings_.steps, 0);
  for (ranks_ = 3; ranks_ >= 1; --ranks_) {
    settings_.steps += steps / 3;
    train("parts");
  }
  ranks_ = 1;
  settings_.valid_every = settings_.log_every = {};
  for (const char* name : {"whole", "parts"}) fs::remove(folder_ / name + "/metrics.jsonl");
  expect_same_to_rounding("parts", "whole");
}

TEST_F(TrainerTest, DividingTheOptimizerChangesNoBit) {
  settings_.ema = 0.9;
  const auto meddle = [](int update) { return update == 2; };
  for (const auto& [precision, ranks] : {std::pair{"f32", 2}, {"bf16", 3}}) {
    SCOPED_TRACE(precision);
    precision_ = precision;
    ranks_ = ranks;
    const std::string name = precision;
    ::testing::internal::CaptureStderr();
    settings_.shard_optimizer = false;
    train(name + "-whole", meddle);
    settings_.shard_optimizer = true;
    train(name, meddle);
    // From one to the other and back.
    const std::int64_t steps = std::exchange(settings_.steps, 0);
    for (int part = 1; part <= 3; ++part) {
      settings_.shard_optimizer = part == 2;
      settings_.steps += steps / 3;
      train(
          name + "-parts", part == 1 ? meddle : [](int) { return false; });
    }
    ::testing::internal::GetCapturedStderr();
    for (const char* other : {"", "-parts"}) expect_same_tensors(name + other, name + "-whole");
  }
}

// With both, an update is a pass.
TEST_F(TrainerTest, DelayedUpdatesAreThoseOfLargeBatches) {
  device_ = "reference";
  settings_.delay = 1000;
  train("delayed");
  settings_.delay = 1;
  settings_.batch_tokens = 100'000;
  train("large");
  expect_same_to_rounding("delayed", "large", false);
}

TEST_F(TrainerTest, GoesOnBetweenDelayedUpdates) {
  settings_.delay = 3;
  ranks_ = 2;
  train("whole");
  for (const int crash : {1, 5, 12}) expect_same_after_crash(crash, "whole");
}

TEST_F(TrainerTest, GradientsThatTravelInBf16TrainNearlyTheSame) {
  const auto losses = [&](const std::string& name) {
    train(name);
    std::vector<double> values;
    for (const nlohmann::json& line : metrics(name)) values.push_back(line.at("loss"));
    return values;
  };
  ranks_ = 3;
  const std::vector<double> exact = losses("f32");
  settings_.gradient_precision = "bf16";
  for (const bool divided : {true, false}) {
    settings_.shard_optimizer = divided;
    const std::vector<double> rounded = losses(divided ? "divided" : "whole");
    EXPECT_THAT(rounded, ::testing::Pointwise(::testing::DoubleNear(0.02), exact));
    EXPECT_NE(rounded, exact);
  }
  expect_same_tensors("divided", "whole");
}

TEST_F(TrainerTest, EarlyStoppingEndsAllRanks) {
  ranks_ = 3;
  settings_.steps = 0;
  settings_.learning_rate = 50;  // so that it gets no better
  settings_.early_stopping = 2;
  ::testing::internal::CaptureStderr();
  train("run");
  ::testing::internal::GetCapturedStderr();
  const ModelFile state(RunDirectory::state_path(folder_ / "run"), kStateFormat);
  EXPECT_GE(read_state(state).stalled, 2);
}

TEST_F(TrainerTest, ARankThatFailsEndsAll) {
  const auto failing = [](int update) -> bool {
    if (update == 7) throw Error("no device any more");
    return false;
  };
  for (ranks_ = 2; ranks_ <= 3; ++ranks_) {
    SCOPED_TRACE(ranks_);
    const std::string name = std::to_string(ranks_);
    EXPECT_THAT([&] { train(name, failing); }, ThrowsMessage<Error>("no device any more"));
    train(name);
    train(name + "-whole");
    expect_same_run(name, name + "-whole");
  }
}

TEST_F(TrainerTest, GivesUpWhenTheyStayNotFinite) {
  EXPECT_THAT([&] { train("failed", [](int update) { return update > 7; }); },
              ThrowsMessage<Error>(AllOf(HasSubstr("10 updates in a row were not finite at step 7"),
                                         HasSubstr("the last good checkpoint is"),
                                         HasSubstr("failed/step-00000006.safetensors"))));
  EXPECT_THAT([&] { train("hopeless", [](int) { return true; }); },
              ThrowsMessage<Error>(HasSubstr("no checkpoint was saved yet")));
  train("whole");
  train("failed");  // from the state before; nothing fails this time
  expect_same_run("failed", "whole");
}

// Far too large at first; grows again, and too large again, within a few updates.
constexpr LossScaling kTooLarge = {.start = 0x1p30, .most = 0x1p32, .interval = 2};

TEST_F(TrainerTest, ScalingTheLossChangesNothingButWhatOverflows) {
  settings_.ema = 0.9;
  settings_.clip_norm = 0.3;
  settings_.log_every.amount = 1;
  testing::NarrowRange scaled(kTooLarge);
  ::testing::internal::CaptureStderr();
  train_on(scaled, "scaled");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "an overflow is nothing to worry about";
  EXPECT_GT(*scaled.overflows.rbegin(), *scaled.overflows.begin() + std::ssize(scaled.overflows))
      << "it did not grow too large again";

  ReferenceBackend plain;
  ::testing::internal::CaptureStderr();
  train_on(plain, "plain", [&](int update) { return scaled.overflows.contains(update); });
  ::testing::internal::GetCapturedStderr();
  const std::vector<nlohmann::json> with = metrics("scaled"), without = metrics("plain");
  ASSERT_EQ(with.size(), without.size());
  for (std::size_t i = 0; i < with.size(); ++i) {
    nlohmann::json line = with[i];
    EXPECT_EQ(line.erase("loss_scale"), line["event"] == "train");
    EXPECT_EQ(line, without[i]);
  }
  for (const char* file : {"/step-00000012.safetensors", "/best.safetensors"}) {
    EXPECT_TRUE(folder_.read(std::string("scaled") + file) == folder_.read(std::string("plain") + file))
        << file;
  }
}

TEST_F(TrainerTest, TheScaleOfTheLossIsPartOfTheState) {
  const auto train_scaled = [&](const std::string& name, int crash) {
    testing::NarrowRange backend(kTooLarge);
    train_on(backend, name, [&](int update) -> bool {
      if (update == crash) throw std::bad_alloc();
      return false;
    });
    return backend.overflows;
  };
  const std::set<int> overflows = train_scaled("whole", 0);
  for (const int crash : {2, *overflows.rbegin()}) {
    SCOPED_TRACE(crash);
    const std::string name = "crashed-" + std::to_string(crash);
    EXPECT_THROW(train_scaled(name, crash), std::bad_alloc);
    train_scaled(name, 0);
    expect_same_run(name, "whole");
  }
  const auto scale = [&] {
    return read_state(ModelFile(RunDirectory::state_path(folder_ / "whole"), kStateFormat)).loss_scale;
  };
  EXPECT_EQ(scale().value().value, metrics("whole").end()[-2].at("loss_scale"))
      << "of the last but a validation";
  device_ = "reference";
  settings_.steps = 13;
  train("whole");
  EXPECT_FALSE(scale()) << "of a run that goes on without";
}

TEST_F(TrainerTest, GivesUpWhereNoScaleHelps) {
  testing::NarrowRange backend({.start = 8, .most = 8});
  ::testing::internal::CaptureStderr();
  EXPECT_THAT([&] { train_on(backend, "failed", [](int) { return true; }); },
              ThrowsMessage<Error>(HasSubstr("10 updates in a row were not finite at step 0")));
  ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(backend.overflows.size(), 3U + 10 + 1)
      << "halved to 1, then in vain, while one more is under way";
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
  // Across numbers of threads batches and counts are the same, and sums differ in their rounding at most.
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
