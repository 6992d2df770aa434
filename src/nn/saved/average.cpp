#include "nn/saved/average.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "common/error.h"
#include "common/log/progress_line.h"
#include "nn/saved/saved_model.h"
#include "nn/weights/parameter_files.h"

namespace nmt {
namespace {

/// Returns the value of a setting for messages, even if this type of model lacks the setting.
std::string value_of(const ModelSettings& settings, const std::string& name) {
  const auto found = settings.find(name);
  return found == settings.end() ? "not set" : found->second;
}

void check_same_settings(const ModelSettings& a, const std::string& path_a, const ModelSettings& b,
                         const std::string& path_b) {
  const auto [at_a, at_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at_a == a.end() && at_b == b.end()) return;
  const std::string& name = at_a == a.end() ? at_b->first : at_a->first;
  throw Error("'{}' and '{}' are different models: {} is {} and {}; average models of one configuration",
              path_a, path_b, name, value_of(a, name), value_of(b, name));
}

/// Checks that the models have the same settings and vocabularies. Releases the pages of each file after
/// reading it.
void check_alike(const std::vector<ModelFile>& files) {
  const SavedNetwork first = blank_network(files.front());
  for (const ModelFile& file : files) {
    const SavedNetwork model = blank_network(file);
    file.finish_reading();
    check_same_settings(model.settings, file.path(), first.settings, files.front().path());
    check_same_vocabularies(model.vocabularies, file.path(), first.vocabularies, files.front().path());
  }
}

std::vector<float> mean(const std::vector<ModelFile>& files, const Parameters::Entry& entry) {
  std::vector<double> sum(static_cast<std::size_t>(entry.size()));
  for (const ModelFile& file : files) {
    const std::vector<double> values = weights_in(file, entry).elements();
    std::transform(sum.begin(), sum.end(), values.begin(), sum.begin(), std::plus());
    file.finish_reading();
  }
  std::vector<float> mean(sum.size());
  std::transform(sum.begin(), sum.end(), mean.begin(),
                 [n = static_cast<double>(files.size())](double x) { return static_cast<float>(x / n); });
  return mean;
}

/// Returns the training history of the newest file, and the number of distinct models if there are several.
std::map<std::string, std::string> history_of(const std::vector<ModelFile>& files) {
  std::map<std::string, std::string> history;
  std::set<std::string> models;
  for (const ModelFile& file : files) models.insert(file.checksum());
  if (models.size() > 1) history["averaged_models"] = std::to_string(models.size());
  for (const char* key : {"updates", "source_tokens", "target_tokens"}) {
    if (std::string text = files.back().metadata(key); !text.empty()) history[key] = std::move(text);
  }
  return history;
}

}  // namespace

void average_models(const std::vector<ModelFile>& files, const std::string& output, Log& log) {
  check_alike(files);
  const SavedNetwork model = blank_network(files.back());
  const auto shortlist = embedded_shortlist(files.back(), model.vocabularies);
  std::vector<std::vector<float>> values;
  std::vector<FileTensor> tensors = tensors_beside_weights(model.vocabularies, shortlist.get());
  const auto& entries = model.network->parameters().entries();
  ProgressLine progress(log, "averaging", "tensor");
  for (const Parameters::Entry& entry : entries) {
    values.push_back(mean(files, entry));
    progress.show(std::ssize(values),
                  static_cast<double>(values.size()) / static_cast<double>(entries.size()));
    tensors.push_back({entry.parameter.name, DType::f32, entry.shape(),
                       reinterpret_cast<const std::byte*>(values.back().data())});
  }
  write_model_file(output, files.back().config(), std::move(tensors), kModelFormat, history_of(files));
}

}  // namespace nmt
