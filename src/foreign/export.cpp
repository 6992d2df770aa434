#include "foreign/export.h"

#include <algorithm>
#include <array>

#include "common/io/atomic_folder.h"
#include "foreign/ctranslate2/ctranslate2_export.h"
#include "foreign/huggingface/huggingface_export.h"
#include "foreign/marian/marian_export.h"

namespace nmt {
namespace {

struct Exporter {
  const char* name;
  /// Writes into an existing folder.
  void (*write)(const ModelFile& file, const std::string& folder);
};

constexpr std::array kExporters = {
    Exporter{"ctranslate2", export_to_ctranslate2},
    Exporter{"huggingface", export_to_huggingface},
    Exporter{"marian", export_to_marian},
};

}  // namespace

std::vector<std::string> export_toolkits() {
  std::vector<std::string> names;
  for (const Exporter& exporter : kExporters) names.emplace_back(exporter.name);
  return names;
}

void export_model(const ModelFile& file, const std::string& toolkit, const std::string& folder,
                  bool overwrite) {
  AtomicFolder output(folder, overwrite);
  std::ranges::find(kExporters, toolkit, &Exporter::name)->write(file, output.place());
  output.commit();
}

}  // namespace nmt
