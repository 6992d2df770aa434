// Fuzz target: checkpoints of fairseq, with their settings.
#include "common/error.h"
#include "foreign/containers/every_reading.h"
#include "foreign/containers/pytorch/torch_checkpoint.h"
#include "foreign/containers/torch_bytes.h"
#include "foreign/fairseq/fairseq_settings.h"
#include "foreign/fairseq/made_up_checkpoint.h"
#include "fuzz/check.h"
#include "fuzz/scratch_file.h"
#include "fuzz/target.h"
#include "fuzz/zip_parts.h"

namespace nmt::fuzz {
namespace of_fairseq_checkpoint {
namespace {

using testing::MadeUpCheckpoint;
using testing::pickled_dict;
using testing::pickled_object;
using testing::PickledSettings;

/// Returns a small checkpoint, of two tensors.
MadeUpCheckpoint small() {
  MadeUpCheckpoint made_up;
  std::erase_if(made_up.tensors, [](const auto& tensor) { return !tensor.first.ends_with("fc1.bias"); });
  return made_up;
}

std::vector<std::string> seeds() {
  const MadeUpCheckpoint made_up = small();
  const std::string model =
      pickled_object("omegaconf", "DictConfig",
                     pickled_dict(std::map<std::string, std::string>{
                         {"_content", pickled_dict(made_up.settings)}, {"_parent", "N"}}));
  const std::string config = pickled_dict(std::map<std::string, std::string>{
      {"model", model},
      {"task", pickled_dict(PickledSettings{{"_name", "translation"}, {"source_lang", "en"}})},
      {"bpe", pickled_dict(PickledSettings{{"_name", "fastbpe"}})}});
  return {made_up.bytes(), made_up.bytes({{"cfg", config}})};
}

std::vector<std::string> words() {
  return {testing::pickled_global("argparse", "Namespace"),
          testing::pickled_text("_val"),
          testing::pickled_text("encoder"),
          testing::pickled_text("adaptive_softmax_cutoff"),
          testing::pickled_number(-1),
          ")\x81",
          "(K\1K\2t",
          "q\1",
          "h\1",
          "R",
          "}",
          "]",
          "e",
          "u",
          "b",
          "."};
}

/// Reads the tensors and the settings.
void load(const std::string& bytes) {
  const TrainingCheckpoint checkpoint =
      open_training_checkpoint(scratch_file("model.pt", bytes), "model", {kFairseqArguments, kFairseqConfig});
  testing::read_all(*checkpoint.tensors);
  const ModelSettings settings = settings_of_fairseq(fairseq_settings(checkpoint.settings, "model.pt"));
  check(settings.at("type") == "transformer", "a model is of a type");
}

}  // namespace
}  // namespace of_fairseq_checkpoint

Target fairseq_checkpoint_target() {
  using namespace of_fairseq_checkpoint;
  return {"fairseq_checkpoint", seeds, words, load, split_zip, join_zip};
}

}  // namespace nmt::fuzz
