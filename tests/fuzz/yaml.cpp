// Fuzz target: settings files, and the configuration in model files.
#include "cli/training/train_options.h"
#include "common/error.h"
#include "fuzz/check.h"
#include "fuzz/scratch_file.h"
#include "fuzz/target.h"
#include "nn/transformer/transformer_config.h"

namespace nmt::fuzz {
namespace of_yaml {
namespace {

/// Returns the resolved configuration of a run with the settings of a file.
std::string resolve(const std::string& text) {
  TrainOptions settings;
  Options options("nmt train", "", "", "");
  add_train_options(options, settings);
  options.parse({"--config", scratch_file("run.yml", text), "--output", "run"});
  return options.resolved();
}

std::vector<std::string> seeds() {
  return {"",
          "# nothing\n",
          resolve(""),
          "preset: transformer-tiny\nsource: a.en\ntarget: a.de\nvocab: 'it''s'\nmodel:\n  d_model: 64\n  "
          "norm: pre\n",
          "model: {type: transformer, d_model: 8, heads: 2, 'norm': \"pre\"}\nsave-every: 10m\n",
          "model: &m\n  d_model: 8\nsteps: &n 10\nwarmup: *n\n",
          "source: |\n  a\n  b\ntarget: >-\n  c\n  d\nlearning_rate: !!float 0.5\n",
          "%YAML 1.2\n---\nsteps: 1\n...\n"};
}

std::vector<std::string> words() {
  std::vector<std::string> words = {"model:\n  ", "---\n", "...\n", "&a ",     "*a",       "- ",  "? ",
                                    ": ",         "[",     "]",     "{",       "}",        "|\n", ">-\n",
                                    "!!str ",     "!2",    "%TAG ", "\\u2028", "<<: *a\n", "\"",  "'"};
  for (const ModelKey& key : transformer_keys()) words.push_back(key.name + ": ");
  return words;
}

/// Reads the configuration of a model file.
void load_model_settings(const std::string& yaml) {
  const ModelSettings settings = ModelRegistry::instance().complete(read_model_settings(yaml, "config"));
  const TransformerConfig config(settings);
  check(read_model_settings(write_model_settings(settings), "config") == settings,
        "settings of a model survive being written");
}

void load(const std::string& bytes) {
  try {
    load_model_settings(bytes);
  } catch (const Error&) {  // it may nevertheless be valid settings of a run
  }
  const std::string resolved = resolve(bytes);
  check(resolve(resolved) == resolved, "a resolved configuration stands for itself");
}

}  // namespace
}  // namespace of_yaml

Target yaml_target() {
  using namespace of_yaml;
  return {"yaml", seeds, words, load};
}

}  // namespace nmt::fuzz
