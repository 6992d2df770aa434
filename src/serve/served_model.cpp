#include "serve/served_model.h"

#include <filesystem>
#include <utility>

#include "common/error.h"
#include "engine/decoding_defaults.h"
#include "engine/forbidden_tokens.h"

namespace nmt {
namespace {

constexpr std::string_view kExtension = ".safetensors";

std::string name_of_path(const std::string& path) {
  std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  std::string name = whole.filename().string();
  if (name.ends_with(kExtension)) name.resize(name.size() - kExtension.size());
  return name;
}

/// The languages of "en-de" and "eng_Latn-deu_Latn"; none for whatever else.
Languages pair_of(const std::string& name) {
  for (std::size_t dash = name.find('-'); dash != std::string::npos; dash = name.find('-', dash + 1)) {
    Languages pair{name.substr(0, dash), name.substr(dash + 1)};
    if (is_language_code(pair.source) && is_language_code(pair.target)) return pair;
  }
  return {};
}

std::shared_ptr<const SearchSettings> search_of(const SavedModel& model, const std::string& file) {
  SearchSettings search;
  ForbiddenTokens forbidden;
  take_decoding_defaults(model, file, {}, search, forbidden);
  take_forbidden(forbidden, model.vocabularies.target, search);
  return std::make_shared<const SearchSettings>(std::move(search));
}

/// Tells a model of several languages those of its name; the source is told where it takes that.
void use_pair(Models& models, const Languages& pair) {
  const Vocabularies& vocabularies = models.vocabularies();
  if (vocabularies.source.languages().empty() && vocabularies.target.languages().empty()) return;
  try {
    models.use_languages(pair);
  } catch (const UsageError&) {
    models.use_languages({.target = pair.target});
  }
}

Models opened(const std::string& file, const ModelSource& source, const ServingSettings& settings) {
  Models models({file}, settings.device);
  refuse_language_model(models.first(), file);
  use_pair(models, source.pair);
  return models;
}

}  // namespace

ModelSource model_source(const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool is_named = equals != std::string::npos && text.find('/') > equals;
  ModelSource source{.path = is_named ? text.substr(equals + 1) : text};
  source.name = is_named ? text.substr(0, equals) : name_of_path(source.path);
  if (source.name.empty() || source.name.find_first_of(" \t\n/") != std::string::npos)
    throw UsageError("`model` '{}': the name of a model is not empty, and has no blank and no slash", text);
  source.pair = pair_of(source.name);
  return source;
}

ServedModel::ServedModel(const ModelSource& source, const ServingSettings& settings)
    : file_(model_file(source.path)),
      models_(opened(file_, source, settings)),
      search_(search_of(models_.first(), file_)),
      splitter_(source.pair.source),
      cache_(static_cast<std::size_t>(settings.cached_sentences)),
      service_(models_.all(), models_.workers(),
               {.max_length = settings.max_length,
                .batch_tokens = settings.batch_tokens,
                .capacity = translation_capacity(settings.batch_tokens, *search_),
                .alignment = AlignmentSettings{}}) {}

}  // namespace nmt
