#include "nn/saved/saved_model.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <tuple>
#include <utility>

#include "common/error.h"
#include "common/io/memory_map.h"
#include "common/text/number.h"
#include "nn/files/foreign_file.h"
#include "nn/weights/parameter_files.h"

namespace nmt {
namespace {

constexpr const char* kSharedName = "vocabulary.shared";
constexpr const char* kSourceName = "vocabulary.source";
constexpr const char* kTargetName = "vocabulary.target";

std::optional<Vocabulary> embedded_vocabulary(const ModelFile& file, const std::string& name) {
  const FileTensor* tensor = file.find(name);
  if (tensor == nullptr) return std::nullopt;
  std::string bytes(tensor->bytes(), '\0');
  std::memcpy(bytes.data(), tensor->read().data(), bytes.size());
  return Vocabulary::from_bytes(std::move(bytes), fmt::format("{} of '{}'", name, file.path()));
}

FileTensor bytes_tensor(const std::string& name, const std::string& bytes) {
  return {name,
          DType::u8,
          {std::ssize(bytes)},
          nullptr,
          [copy = std::vector(bytes.begin(), bytes.end())](RowRange) { return copy; }};
}

/// Settings of training are for people to read, so that a file may have any value there.
std::optional<std::int64_t> trained_length(const ModelFile& file) {
  const auto length = number_of<std::int64_t>(read_plain_setting(file.config(), "max_length"));
  return length && *length > 0 ? length : std::nullopt;
}

}  // namespace

Vocabularies embedded_vocabularies(const ModelFile& file) {
  if (const auto shared = embedded_vocabulary(file, kSharedName)) return {*shared, *shared};
  const auto source = embedded_vocabulary(file, kSourceName), target = embedded_vocabulary(file, kTargetName);
  if (!source || !target) {
    throw Error("'{}' has no vocabulary inside ('{}', or '{}' and '{}'); add it to the file", file.path(),
                kSharedName, kSourceName, kTargetName);
  }
  return {*source, *target};
}

std::vector<FileTensor> vocabulary_tensors(const Vocabularies& vocabularies) {
  if (vocabularies.shared()) return {bytes_tensor(kSharedName, vocabularies.source.bytes())};
  return {bytes_tensor(kSourceName, vocabularies.source.bytes()),
          bytes_tensor(kTargetName, vocabularies.target.bytes())};
}

std::vector<FileTensor> tensors_beside_weights(const Vocabularies& vocabularies, const Shortlist* shortlist) {
  std::vector<FileTensor> tensors = vocabulary_tensors(vocabularies);
  if (shortlist != nullptr) std::ranges::move(shortlist_tensors(*shortlist), std::back_inserter(tensors));
  return tensors;
}

VocabulariesOfFile vocabularies_in(const std::string& path) {
  MemoryMap file = map_file(path);
  if (looks_like_safetensors(file.text())) {
    const ModelFile model(std::move(file), path);
    Vocabularies vocabularies = embedded_vocabularies(model);
    model.check_unchanged();
    return {std::move(vocabularies), usual_languages(read_decoding_settings(model.config(), path))};
  }
  const Vocabulary shared = Vocabulary::from_bytes(file.copy(), path);
  return {{shared, shared}, {}};
}

void check_vocabulary_sizes(const ModelSettings& settings, const Vocabularies& vocabularies,
                            const std::string& where) {
  const auto check = [&](const char* name, const Vocabulary& vocabulary) {
    const auto setting = settings.find(name);  // a model without a source has no setting for its vocabulary
    const int rows = vocabulary.rows();
    if (setting != settings.end() && setting->second != std::to_string(rows)) {
      throw Error(
          "{}: {} is {}, but the vocabulary has {} pieces; use the vocabulary that the model was trained "
          "with",
          where, name, setting->second, rows);
    }
  };
  check("source_vocabulary", vocabularies.source);
  check("target_vocabulary", vocabularies.target);
}

Languages usual_languages(const DecodingSettings& decoding) {
  const auto named = [&decoding](const char* setting) {
    const auto found = decoding.find(setting);
    return found == decoding.end() ? std::string() : found->second;
  };
  return {named("source_language"), named("target_language")};
}

Vocabularies in_languages(const SavedModel& model, const Languages& languages) {
  const Languages all = languages.or_else(usual_languages(model.decoding));
  return model.model->has_source() ? in_languages(model.vocabularies, all)
                                   : target_in_language(model.vocabularies, all);
}

void use_languages(SavedModel& model, const Languages& languages) {
  model.vocabularies = in_languages(model, languages);
  model.special_tokens = special_tokens_of(model.vocabularies, *model.model);
}

namespace {

/// Calls read(), whose errors are those of the file.
template <class Read>
auto read_from(const ModelFile& file, const Read& read) {
  try {
    return read();
  } catch (const UsageError& error) {  // an invalid setting in the file rather than on the command line
    throw Error("'{}': {}", file.path(), error.what());
  } catch (const Error&) {
    file.check_unchanged();  // a changed file is the likely reason; report that instead
    throw;
  }
}

/// Reads what all files have; `make` returns the network of complete settings.
template <class Make>
auto read_network(const ModelFile& file, const Make& make) {
  const std::string name = fmt::format("'{}'", file.path());
  ModelSettings settings = ModelRegistry::instance().complete(read_model_settings(file.config(), name));
  auto network = make(settings);
  Vocabularies vocabularies = embedded_vocabularies(file);
  check_vocabulary_sizes(settings, vocabularies, name);
  check(network->parameters(), file);
  return std::tuple(std::move(settings), std::move(vocabularies), std::move(network));
}

}  // namespace

SavedNetwork blank_network(const ModelFile& file) {
  return read_from(file, [&] {
    auto [settings, vocabularies, network] = read_network(
        file, [](const ModelSettings& all) { return ModelRegistry::instance().make_network(all); });
    file.check_unchanged();
    return SavedNetwork{std::move(settings), std::move(vocabularies), std::move(network)};
  });
}

SavedModel blank_model(const ModelFile& file) {
  return read_from(file, [&] {
    auto [settings, vocabularies, model] =
        read_network(file, [](const ModelSettings& all) { return ModelRegistry::instance().make(all); });
    const SpecialTokens special_tokens = special_tokens_of(vocabularies, *model);
    auto shortlist = embedded_shortlist(file, vocabularies);
    file.check_unchanged();
    return SavedModel{std::move(settings),
                      std::move(vocabularies),
                      std::move(model),
                      special_tokens,
                      read_decoding_settings(file.config(), fmt::format("'{}'", file.path())),
                      std::move(shortlist),
                      trained_length(file)};
  });
}

void load_for_inference(Parameters& parameters, const ModelFile& file, Backend& backend, OutputRows output) {
  allocate_for_inference(parameters, backend);
  load(parameters, backend, file);
  prepack(parameters, backend, output);
}

SavedModel open_model(const std::string& path, Backend& backend, OutputRows output) {
  return open_model(ModelFile(path), backend, output);
}

SavedModel open_model(const ModelFile& file, Backend& backend, OutputRows output) {
  SavedModel saved = blank_model(file);
  load_for_inference(saved.model->parameters(), file, backend, output);
  return saved;
}

SavedModel open_model_to_train(const ModelFile& file, Backend& backend) {
  SavedModel saved = blank_model(file);
  saved.model->allocate_for_training(backend).load(file);
  return saved;
}

void load_frozen(Model& model, const ModelFile& file, Backend& backend, const LowRankSettings& settings) {
  LowRankWeights& weights = model.allocate_for_low_rank(backend, settings);
  load(model.parameters(), backend, file);
  weights.merge();
}

void save_model(const std::string& path, const std::string& config, const Vocabularies& vocabularies,
                std::vector<FileTensor> weights, std::map<std::string, std::string> metadata) {
  std::ranges::move(vocabulary_tensors(vocabularies), std::back_inserter(weights));
  write_model_file(path, config, std::move(weights), kModelFormat, std::move(metadata));
}

void save_model(const std::string& path, const std::string& config, const Vocabularies& vocabularies,
                const TrainingWeights& weights, std::map<std::string, std::string> metadata) {
  save_model(path, config, vocabularies, tensors(weights, "", weights.values(), DType::f32),
             std::move(metadata));
}

}  // namespace nmt
