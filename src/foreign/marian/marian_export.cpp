#include "foreign/marian/marian_export.h"

#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/io/atomic_file.h"
#include "data/vocabulary/listed/listed_file.h"
#include "foreign/containers/numpy/npz.h"
#include "foreign/layer_variants.h"
#include "foreign/marian/marian_names.h"
#include "foreign/weight_source.h"
#include "nn/saved/saved_model.h"
#include "nn/settings.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

OutputTensor tensor_of(const std::string& name, const WeightSource& weight) {
  return {name, ElementType::f32, {weight.rows, weight.columns}, [weight](RowRange range) {
            return bytes_of(weight.make(range));
          }};
}

/// Returns a word in double quotes, as in YAML.
std::string quoted(const std::string& word) {
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

/// Returns a mapping of words to ids.
std::string yaml_of(const WordList& words) {
  std::string yaml;
  for (std::size_t id = 0; id < words.size(); ++id) {
    if (!words[id].empty()) yaml += fmt::format("{}: {}\n", quoted(words[id]), id);
  }
  return yaml;
}

/// The files of a vocabulary, bytes by name; decoder.yml names the first.
using VocabularyFiles = std::vector<std::pair<std::string, std::string>>;

VocabularyFiles files_of(const Vocabulary& vocabulary, const std::string& side) {
  if (!vocabulary.bytes().starts_with("nmt.vocabulary ")) return {{side + ".spm", vocabulary.bytes()}};
  const ListedFile listed = parse_listed_file(vocabulary.bytes());
  if (listed.kind != "words" && listed.kind != "pieces")
    throw NotHeld("the {} vocabulary is of kind {}, which Marian has no form for", side, listed.kind);
  if (listed.facts.end != 0 || listed.facts.unknown != 1) {
    throw NotHeld("the {} vocabulary has </s> and <unk> under the ids {} and {}, but Marian under 0 and 1",
                  side, listed.facts.end, listed.facts.unknown);
  }
  VocabularyFiles files = {{side + ".vocab.yml", yaml_of(listed.words)}};
  if (!listed.sentencepiece.empty()) files.emplace_back(side + ".spm", listed.sentencepiece);
  return files;
}

/// Returns the default decoding settings of nmt translate with the model, as far as Marian supports them.
std::string decoder_yaml(const DecodingSettings& decoding, const std::string& source,
                         const std::string& target) {
  std::string yaml =
      fmt::format("relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - {}\n  - {}\n", source, target);
  const auto add = [&](const char* key, const char* setting, const char* usual) {
    const auto found = decoding.find(setting);
    yaml += fmt::format("{}: {}\n", key, found == decoding.end() ? usual : found->second);
  };
  add("beam-size", "beam", "4");
  add("normalize", "length_penalty", "0.6");
  add("word-penalty", "word_penalty", "0");
  add("allow-unk", "unk", "true");
  return yaml;
}

}  // namespace

void export_to_marian(const ModelFile& file, const std::string& folder) {
  const SavedModel model = blank_model(file);
  const std::string config = marian_config_of(model.settings, file.path());
  const VocabularyFiles source = files_of(model.vocabularies.source, "source");
  const VocabularyFiles target = files_of(model.vocabularies.target, "target");
  std::vector<OutputTensor> tensors;
  for (const auto& [name, weight] :
       theirs_from(marian_names(model.settings), weights_in(file, model.model->parameters())))
    tensors.push_back(tensor_of(name, weight));
  const auto path = [&](const std::string& name) { return (fs::path(folder) / name).string(); };
  write_npz(path("model.npz"), std::move(tensors), config);
  for (const VocabularyFiles& files : {source, target}) {
    for (const auto& [name, bytes] : files) write_file(path(name), bytes);
  }
  write_file(path("decoder.yml"), decoder_yaml(model.decoding, source[0].first, target[0].first));
}

}  // namespace nmt
