#include "foreign/export.h"

#include <algorithm>
#include <array>

#include "common/error.h"
#include "common/io/folder.h"
#include "foreign/ctranslate2/ctranslate2_export.h"
#include "foreign/huggingface/huggingface_export.h"
#include "foreign/layer_variants.h"
#include "foreign/marian/marian_export.h"
#include "nn/registry.h"

namespace nmt {
namespace {

struct Exporter {
  const char* name;
  bool has_recurrent_models, has_right_to_left;
  const char* example;  // a kind of model that can be written
  /// Writes into an existing folder.
  void (*write)(const ModelFile& file, const std::string& folder);
};

constexpr std::array kExporters = {
    Exporter{"ctranslate2", false, false, "a Transformer with `positions` sinusoidal", export_to_ctranslate2},
    Exporter{"huggingface", false, false, "a Transformer with `norm` post", export_to_huggingface},
    Exporter{"marian", true, true, "a Transformer with `positions` tensor2tensor and `decoder_start` zero",
             export_to_marian},
};

void check_settings(const ModelFile& file, const Exporter& exporter) {
  const ModelSettings settings = read_model_settings(file.config(), file.path());
  const std::string& type = ModelRegistry::instance().type_of(settings).name;
  if (type != "transformer" && (type != "rnn" || !exporter.has_recurrent_models))
    throw NotHeld("'{}' is a model of type {}, which cannot be written for {}", file.path(), type,
                  exporter.name);
  if (exporter.has_right_to_left) return;
  for (const char* side : {"source", "target"}) {
    const auto direction = settings.find(fmt::format("{}_direction", side));
    if (direction == settings.end() || direction->second == "left-to-right") continue;
    throw NotHeld("'{}' reads its {} from right to left ({}_direction), which cannot be written for {}",
                  file.path(), side, side, exporter.name);
  }
}

}  // namespace

std::vector<std::string> export_toolkits() {
  std::vector<std::string> names;
  for (const Exporter& exporter : kExporters) names.emplace_back(exporter.name);
  return names;
}

void export_model(const ModelFile& file, const std::string& toolkit, const std::string& folder,
                  bool overwrite) {
  const Exporter& exporter = *std::ranges::find(kExporters, toolkit, &Exporter::name);
  try {
    check_settings(file, exporter);
    AtomicFolder output(folder, overwrite);
    exporter.write(file, output.place());
    file.check_unchanged();
    output.commit();
  } catch (const NotHeld& error) {
    throw Error(
        "{}; train a model that can be written for {}, such as {}, or see doc/toolkits.md for other toolkits",
        error.what(), exporter.name, exporter.example);
  }
}

}  // namespace nmt
