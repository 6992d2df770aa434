// Fuzz targets: checkpoints of COMET, and their hparams.yaml. A model that is read judges a text.
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "backend/factory.h"
#include "common/error.h"
#include "foreign/comet/made_up_comet.h"
#include "foreign/open.h"
#include "fuzz/check.h"
#include "fuzz/target.h"
#include "fuzz/zip_parts.h"
#include "nn/saved/saved_judge.h"
#include "tensor/workers.h"
#include "translate/quality/comet_metric.h"

namespace nmt::fuzz {
namespace of_comet {
namespace {

using nlohmann::json;
using testing::MadeUpComet;

/// Returns an xCOMET model, or a regression model.
MadeUpComet made_up(bool finds_errors) {
  MadeUpComet made_up(2, finds_errors);
  if (!finds_errors) return made_up;
  made_up.unify("xcomet_metric");
  made_up.add_linear("hidden2tag", 4, testing::kWidth);
  return made_up;
}

/// Loads the model in a folder, and judges texts.
void judge_with(const std::string& folder) {
  static const std::unique_ptr<Backend> backend = open_backend({.device = "cpu", .threads = 1});
  const SavedJudge judge = open_judge(open_model_file(folder), *backend);
  Workers workers(*backend);
  const CometMetric metric(dynamic_cast<const CometModel&>(*judge.network), judge.vocabulary, workers);
  const std::string translation = "a <s> \xFF <mask>", longest(60, '<');
  const std::vector<JudgedTexts> texts = {{translation, "b", longest}, {longest, translation, ""}};
  for (const Judgment& judgment : metric.judge(texts, true))
    check(std::isfinite(judgment.score), "a score is finite");
}

/// Loads a checkpoint in which a file is replaced.
void load_in(bool finds_errors, const std::string& file, const std::string& bytes) {
  static const TemporaryFolder folder;
  static std::map<std::pair<bool, std::string>, std::string> paths;
  std::string& path = paths[{finds_errors, file}];
  if (path.empty()) path = made_up(finds_errors).write(folder, std::to_string(paths.size()));
  MadeUpComet::put(std::filesystem::path(path) / file, bytes);
  judge_with(path);
}

std::vector<std::string> checkpoint_seeds() {
  MadeUpComet regression = made_up(false), errors = made_up(true);
  regression.in_checkpoint = {{"layer", "mix"}, {"pool", "avg"}, {"hidden_sizes", {6, 5}}};
  errors.in_checkpoint = {{"word_layer", 1}, {"error_labels", {"minor", "major", "critical"}}};
  return {regression.bytes(), made_up(false).bytes(), errors.bytes()};
}

std::vector<std::string> checkpoint_words() {
  std::vector<std::string> words = {"q\1", "h\1", "R", "}", "]", "e", "u", "b", ".", "(K\1K\2t"};
  for (const auto& [name, tensor] : made_up(true).tensors) words.push_back(testing::pickled_text(name));
  for (const char* name : {"pool", "max", "cls", "layer", "default", "word_level_training", "sparsemax"})
    words.push_back(testing::pickled_text(name));
  for (const int number : {-1, 0, 1, 2, 3, 1 << 30}) words.push_back(testing::pickled_number(number));
  return words;
}

std::vector<std::string> hparams_seeds() {
  const auto hparams = [](bool finds_errors) { return made_up(finds_errors).hparams.dump(); };
  return {
      hparams(false),
      hparams(true),
      "class_identifier: regression_metric\npool: max\nlayer: 1\nlayer_norm: false\nfinal_activation: "
      "Sigmoid\nactivations: Tanh\nencoder_model: XLM-RoBERTa\n",
      "class_identifier: regression_metric\nlayer_transformation: sparsemax\npool: default\n",
      "class_identifier: xcomet_metric\nerror_labels:\n- minor\n- major\n- critical\nword_layer: 2\n"
      "sent_layer: mix\nencoder_model: XLM-RoBERTa-XL\npretrained_model: some/encoder\n",
      "class_identifier: unified_metric\ninput_segments: [mt, src]\nword_level_training: true\nerror_labels: "
      "[a, b, c]\n"};
}

std::vector<std::string> hparams_words() {
  return {"class_identifier: ",
          "xcomet_metric",
          "regression_metric",
          "pool: ",
          "layer: ",
          "sent_layer: ",
          "word_layer: ",
          "error_labels:",
          "pretrained_model: /",
          "MiniLM",
          "~",
          "null",
          "- ",
          "&a ",
          "*a",
          "[",
          "]",
          "{",
          "}",
          "'",
          "1e308",
          "-1",
          "!!str ",
          "true"};
}

}  // namespace
}  // namespace of_comet

Target comet_checkpoint_target() {
  using namespace of_comet;
  const auto load = [](const std::string& bytes) {
    load_in(bytes.find("hidden2tag") != bytes.npos, "checkpoints/model.ckpt", bytes);
  };
  return {"comet_checkpoint", checkpoint_seeds, checkpoint_words, load, split_zip, join_zip};
}

Target comet_hparams_target() {
  using namespace of_comet;
  const auto load = [](const std::string& bytes) {
    const bool finds_errors = bytes.find("unified") != bytes.npos || bytes.find("xcomet") != bytes.npos;
    load_in(finds_errors, "hparams.yaml", bytes);
  };
  return {"comet_hparams", hparams_seeds, hparams_words, load};
}

}  // namespace nmt::fuzz
