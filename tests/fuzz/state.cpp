// Fuzz target: the state of a training run.
#include "backend/factory.h"
#include "common/error.h"
#include "data/text/parallel_text.h"
#include "data/text_corpus.h"
#include "fuzz/safetensors_parts.h"
#include "fuzz/scratch_file.h"
#include "fuzz/target.h"
#include "nn/weights/parameter_files.h"
#include "train/run/training_state.h"
#include "translate/text_model.h"

namespace nmt::fuzz {
namespace of_state {
namespace {

/// The parts of a continued run before it reads its state.
struct Run {
  std::unique_ptr<Backend> backend = open_backend({.device = "reference"});
  SavedModel model = testing::text_model(*backend, seed_vocabulary(), {{"d_model", 4}, {"d_ff", 6}});
  TextCorpus corpus = make_corpus();

  static TextCorpus make_corpus() {
    const GeneratedText::Pair text = GeneratedText(3).text(40);
    return {ParallelText(scratch_file("source", text.source), scratch_file("target", text.target)),
            {.source = seed_vocabulary(), .target = seed_vocabulary()}};
  }
  const TrainingWeights& weights() const { return model.model->training_weights(); }
};

const Run& a_run() {
  static const Run run;
  return run;
}

std::string state_bytes(const TrainingState& state) {
  const Run& run = a_run();
  const std::string path = scratch_file("seed", "");
  const Tensor& values = run.weights().values();
  write_state(path, write_model_settings(run.model.settings), run.model.vocabularies, state,
              tensors(run.weights(), "weights.", values, values.dtype()));
  return read_bytes(path);
}

std::vector<std::string> seeds() {
  return {
      state_bytes({}),
      state_bytes(
          {.counters = {.step = 7, .epoch = 2, .source_tokens = 11, .target_tokens = 13, .data_wait = 0.7},
           .position = {.epoch = 1, .pool = 0, .splits = {{100, 2}, {70, 0}}},
           .epochs = 1.0 / 3,
           .meter = {.window = {0.1, 0.2, 19},
                     .before = {1, 2, 50},
                     .rate = 1e-7,
                     .gradient_norm = 5.0 / 7,
                     .seconds = 0.3},
           .loss_scale = LossScale{0x1p16, 7},
           .best = {{5, 2.0 / 3}, {4, 0.7}},
           .stalled = 2,
           .metrics_bytes = 4321,
           .corpus = ~std::uint64_t{0}})};
}

std::vector<std::string> words() {
  return {"\"step\":", "\"epoch\":", "\"position\":{", "\"cuts\":[[", "\"best\":[[",      "null", "-1",
          "1e308",     "0.5",        "nmt.state",      "weights.",    "\"dtype\":\"F64\""};
}

/// Restores the state as a trainer does, and reads the next batch.
void load(const std::string& bytes) {
  const Run& run = a_run();
  const ModelFile file(scratch_file("training.safetensors", bytes), kStateFormat);
  const TrainingState state = read_state(file);
  embedded_vocabularies(file);
  const Tensor& values = run.weights().values();
  nmt::load(run.weights(), file, "weights.",
            allocate_tensor(*run.backend, 1, values.columns(), values.dtype()));
  BatchStream(run.corpus, {.batch_tokens = 70}, state.position).next();
}

}  // namespace
}  // namespace of_state

Target state_target() {
  using namespace of_state;
  return {"state", seeds, words, load, split_safetensors, join_safetensors};
}

}  // namespace nmt::fuzz
