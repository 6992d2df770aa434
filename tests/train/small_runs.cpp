#include "train/small_runs.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <sstream>

#include "data/generated_text.h"
#include "data/text/parallel_text.h"
#include "data/text_corpus.h"
#include "tensor/communicator.h"
#include "tensor/reals.h"
#include "train/translation_task.h"

namespace nmt::testing {
namespace {

namespace fs = std::filesystem;

/// Modifies the losses of an update before they are used, to inject faults.
class Meddler final : public Communicator {
 public:
  Meddler(Communicator& ranks, Backend& backend, Meddle meddle)
      : ranks_(ranks), backend_(backend), meddle_(std::move(meddle)) {}
  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }
  void all_reduce(const Tensor& x) override {
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    const bool are_sums = x.size() == sums_in(Tensor(1, kStepStatistics, DType::f64, nullptr, {})).size();
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

}  // namespace

SmallRuns::SmallRuns() {
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

ParallelText SmallRuns::text(int rank, int seed, int pairs) const {
  const GeneratedText::Pair sides = GeneratedText(seed).text(pairs);
  const std::string name = std::to_string(rank);
  return {folder_.write("source-" + name, sides.source), folder_.write("target-" + name, sides.target)};
}

SavedModel SmallRuns::new_model(Backend& backend) const {
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
  model.special_tokens = special_tokens_of(model.vocabularies, *model.model);
  if (!settings_.lora) {
    model.model->allocate_for_training(backend).initialize(1);
    return model;
  }
  model.model->allocate_for_low_rank(backend, *settings_.lora);
  initialize(model.model->parameters(), backend, 1);
  model.model->training_weights().initialize(2);
  model.base = {*settings_.lora, folder_ / "base.safetensors", "0123456789abcdef"};
  return model;
}

void SmallRuns::train(const std::string& name, const Meddle& meddle) {
  train_ranks(name, [&](const TrainRank& train_rank) {
    run_ranks(ranks_, [&](Communicator& communicator) {
      const auto backend = open_rank_(communicator.rank());
      const auto connected = backend->connect(communicator);
      const bool last = communicator.rank() == communicator.size() - 1;
      Meddler meddler(connected ? *connected : communicator, *backend, last ? meddle : no_harm);
      train_rank(*backend, meddler);
    });
  });
}

void SmallRuns::train_on(Backend& backend, const std::string& name, const Meddle& meddle) {
  train_ranks(name, [&](const TrainRank& train_rank) {
    SingleRank alone;
    Meddler meddler(alone, backend, meddle);
    train_rank(backend, meddler);
  });
}

void SmallRuns::train_ranks(const std::string& name, const std::function<void(const TrainRank&)>& work) {
  const TextCorpus corpus(text(0, 2, 60), {words_, words_, {}});
  const RunDirectory run(folder_ / name, false);
  std::optional<ModelFile> state;
  if (fs::exists(run.state_path())) state.emplace(run.state_path(), kStateFormat);
  work([&](Backend& backend, Communicator& communicator) {
    train_rank(backend, communicator, corpus, run, state ? &*state : nullptr);
  });
}

void SmallRuns::train_rank(Backend& backend, Communicator& communicator, const Corpus& corpus,
                           const RunDirectory& run, const ModelFile* state) {
  SavedModel model = new_model(backend);
  const ParallelText lines = text(communicator.rank(), validation_seed_, 10);
  const JobContext job{.stop = stop_, .log = &log_};
  const ValidationText validation = validation_text(lines, {words_, words_, {}}, 100, log_);
  const auto task = [&](Workers& workers) {
    return std::make_unique<TranslationTask>(settings_, TranslationParts{model, communicator, job},
                                             validation, workers);
  };
  const RankParts parts{*model.model, backend, communicator, {{.corpus = &corpus}}, task, job};
  if (communicator.rank() > 0) {
    Replica replica(settings_, parts, state != nullptr ? read_state(*state) : TrainingState{}, state);
    worker_loop(replica, communicator, never_stopped());
    return;
  }
  const auto metadata = model.base ? low_rank_metadata(*model.base) : std::map<std::string, std::string>();
  Trainer trainer(settings_,
                  {parts, &run, write_model_settings(model.settings), model.settings, model.vocabularies,
                   LossKind::tokens, validation.fingerprint, metadata},
                  state);
  run.write_config("");
  trainer.run();
}

std::vector<nlohmann::json> metrics_in(const std::string& text) {
  std::istringstream input(text);
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(input, line);) {
    lines.push_back(nlohmann::json::parse(line));
    for (const char* time : {"seconds", "data_wait", "target_tokens_per_second", "judgments_per_second"})
      lines.back().erase(time);
  }
  return lines;
}

std::vector<nlohmann::json> SmallRuns::metrics(const std::string& name) const {
  return metrics_in(folder_.read(name + "/metrics.jsonl"));
}

TrainingState SmallRuns::last_state(const std::string& name) const {
  return read_state(ModelFile(RunDirectory::state_path(folder_ / name), kStateFormat));
}

void SmallRuns::expect_same_run(const std::string& name, const std::string& other) const {
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

void SmallRuns::expect_same_after_crash(int crash, const std::string& other) {
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

void SmallRuns::expect_same_tensors(const std::string& name, const std::string& other) const {
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

void SmallRuns::expect_same_to_rounding(const std::string& name, const std::string& other,
                                        bool same_batches) const {
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

}  // namespace nmt::testing
