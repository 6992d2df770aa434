#include "serve/served_model.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "common/error.h"
#include "common/text/pattern.h"
#include "common/text/spelling.h"
#include "data/vocabulary/languages.h"
#include "engine/asked_settings.h"
#include "engine/decoding_defaults.h"

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

/// Whether emoji are lost in translations, because no unknown piece marks their position.
bool loses_emoji(const Vocabularies& vocabularies, const AllowedTokens& allowed) {
  const std::vector<int> pieces = vocabularies.source.encode("\U0001F600");
  return std::ranges::count(pieces, vocabularies.source.unknown()) > 0 && allowed.forbidden &&
         std::ranges::binary_search(*allowed.forbidden, vocabularies.target.unknown());
}

/// Returns the languages of "de,fr"; none if one of them is invalid.
std::vector<std::string> languages_of(const std::string& list) {
  std::vector<std::string> languages = split_at_commas(list);
  return std::ranges::all_of(languages, is_language_code) ? languages : std::vector<std::string>{};
}

std::vector<Languages> pairs_among(const std::vector<std::string>& sources,
                                   const std::vector<std::string>& targets) {
  std::vector<Languages> pairs;
  for (const std::string& source : sources) {
    for (const std::string& target : targets) {
      if (source != target) pairs.push_back({source, target});
    }
  }
  return pairs;
}

/// Returns the pairs of languages of "en-de", "eng_Latn-deu_Latn" and "en-de,fr", and all pairs of
/// "en,de,fr"; none for other names.
std::vector<Languages> pairs_of(const std::string& name) {
  for (std::size_t dash = name.find('-'); dash != std::string::npos; dash = name.find('-', dash + 1)) {
    const auto sources = languages_of(name.substr(0, dash)), targets = languages_of(name.substr(dash + 1));
    if (sources.size() == 1 && targets.size() == 1)
      return {{sources[0], targets[0]}};  // even a language with itself
    if (!sources.empty() && !targets.empty()) return pairs_among(sources, targets);
  }
  const std::vector<std::string> languages = languages_of(name);
  return pairs_among(languages, languages);
}

/// Returns the languages at the end of the name of a folder, such as opus-mt-en-de; none for other names.
/// Only codes of two letters count, since longer words may be anything.
Languages pair_at_end(const std::string& name) {
  static const Pattern pair_at_end("..*-([a-z][a-z])-([a-z][a-z])");
  const std::vector<std::string> found =
      pair_at_end.matches(name) ? pair_at_end.find(name) : std::vector<std::string>();
  if (found.empty() || found[1] == found[2]) return {};
  return {found[1], found[2]};
}

/// Returns the name of a model that is given without one: that of its file, or its languages if its files
/// name them and the name of the file does not.
std::string usual_name(const std::string& path) {
  std::string name = name_of_path(path);
  if (!pair_at_end(name).target.empty()) return name;
  const auto [source, target] = languages_of_model(path);
  return is_language_code(source) && is_language_code(target) ? source + '-' + target : name;
}

std::string quoted_setting(const std::string& name) {
  return '`' + name + '`';
}

/// The default search settings of a model, and the tokens that its translations never contain.
struct ModelDefaults {
  SearchSettings search;
  ForbiddenTokens forbidden;
};

/// Returns the defaults of a model. Logs those that were overridden. Throws UsageError for settings that
/// conflict.
ModelDefaults defaults_of(const OpenedModel& opened, const Vocabulary& target, const ModelSource& source,
                          Log& log) {
  const std::set<std::string>& given = source.defaults.given;
  ModelDefaults defaults{.search = source.defaults.search, .forbidden = {}};
  auto& [search, forbidden] = defaults;
  take_decoding_defaults(opened.model(), target, opened.file(), given, search, forbidden);
  try {
    for (const std::string& notice : settle({.names = given, .called = quoted_setting}, {}, false, search))
      log.info("'{}': {}", opened.file(), notice);
  } catch (const UsageError& error) {
    throw UsageError("model '{}': {}", source.name, error.what());
  }
  return defaults;
}

/// Returns the languages of a multilingual model for the name of `source`; the source language only if the
/// model uses it.
Languages languages_for(const SavedModel& model, const ModelSource& source) {
  const std::vector<std::string> known = known_languages(model.vocabularies);
  if (known.empty() && source.is_one_of_several) {
    throw UsageError("`model` '{}={}': the model has no language tokens, so it serves only one pair",
                     source.name, source.path);
  }
  if (known.empty()) return {};
  const Languages& pair = source.pair;
  if (!pair.target.empty() && code_meant(pair.target, known).empty()) {
    throw UsageError("`model` '{}={}': the model has {} languages, which nmt info lists, but not '{}'{}",
                     source.name, source.path, known.size(), pair.target, did_you_mean(pair.target, known));
  }
  try {
    static_cast<void>(in_languages(model, pair));
    return pair;
  } catch (const UsageError&) {
    return {.target = pair.target};
  }
}

ShortlistUse shortlist_use(const ModelSource& source, const ServingSettings& settings) {
  if (source.shortlist) return ShortlistUse::other;
  return settings.no_shortlist ? ShortlistUse::none : ShortlistUse::of_model;
}

Models opened(const std::string& file, const ModelSource& source, const ServingSettings& settings) {
  Models models({file}, settings.device,
                {.shortlist = shortlist_use(source, settings), .files = source.vocabularies});
  refuse_language_model(models.first(), file);
  models.use_languages(languages_for(models.first(), source));
  return models;
}

std::shared_ptr<const Shortlist> opened_shortlist(const ModelSource& source, const SavedModel& model) {
  if (!source.shortlist) return model.shortlist;
  return std::make_shared<const Shortlist>(open_shortlist(*source.shortlist, model.vocabularies));
}

TranslationSettings service_settings(const OpenedModel& opened, const ModelSource& source,
                                     const ServingSettings& settings, Log& log) {
  const Vocabulary& target = opened.model().vocabularies.target;
  const ModelDefaults defaults = defaults_of(opened, target, source, log);
  return {.search = defaults.search,
          .allowed = allowed_tokens(defaults.forbidden, opened.shortlist(), target),
          .max_length = settings.max_length,
          .batch_tokens = settings.batch_tokens,
          .alignment = AlignmentSettings{},
          .log = &log};
}

}  // namespace

std::vector<ModelSource> model_sources(const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool is_named = equals != std::string::npos && text.find('/') > equals;
  ModelSource source{.path = is_named ? text.substr(equals + 1) : text};
  source.name = is_named ? text.substr(0, equals) : usual_name(source.path);
  if (source.name.empty() || source.name.find_first_of(" \t\n/") != std::string::npos)
    throw UsageError("`model` '{}': the name of a model must not be empty or contain a space or a slash",
                     text);
  std::vector<ModelSource> sources;
  const std::vector<Languages> pairs = pairs_of(source.name);
  sources.reserve(pairs.size());
  for (const Languages& pair : pairs) {
    sources.push_back({.name = pair.source + '-' + pair.target,
                       .pair = pair,
                       .path = source.path,
                       .is_one_of_several = pairs.size() > 1});
  }
  if (!sources.empty()) return sources;
  if (!is_named) source.pair = pair_at_end(source.name);
  if (is_named && source.name.find(',') != std::string::npos) {
    throw UsageError(
        "`model` '{}': expected languages between commas, as in en-de,fr or en,de,fr for all pairs", text);
  }
  return {source};
}

namespace {

/// Returns the files that a model is read from.
auto files_of(const ModelSource& source) {
  return std::tuple(source.path, source.shortlist, source.vocabularies.source_vocabulary,
                    source.vocabularies.target_vocabulary);
}

}  // namespace

std::vector<std::vector<std::size_t>> shared_models(const std::vector<ModelSource>& sources) {
  struct File {
    SavedModel model;
    std::vector<std::pair<SpecialTokens, std::size_t>> groups;  // and the numbers of the groups
  };
  using Key = decltype(files_of(sources[0]));
  std::map<Key, File> files;
  std::vector<std::vector<std::size_t>> groups;
  std::map<Key, std::size_t> times;  // how often files are named
  for (const ModelSource& source : sources) ++times[files_of(source)];
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Key key = files_of(sources[i]);
    if (times[key] == 1) {
      groups.push_back({i});
      continue;
    }
    if (!files.contains(key)) {
      const ModelFile file = open_model_file(model_file(sources[i].path), sources[i].vocabularies);
      files.emplace(key, File{blank_model(file), {}});
    }
    auto& [model, known] = files.at(key);
    const Vocabularies vocabularies = in_languages(model, languages_for(model, sources[i]));
    const SpecialTokens tokens = special_tokens_of(vocabularies, *model.model);
    const auto same = std::ranges::find(known, tokens, &std::pair<SpecialTokens, std::size_t>::first);
    if (same != known.end()) {
      groups[same->second].push_back(i);
    } else {
      known.emplace_back(tokens, groups.size());
      groups.push_back({i});
    }
  }
  return groups;
}

std::int64_t usual_batch_tokens(const DeviceSettings& device) {
  const std::string name = device.device == "auto" ? best_device(device) : device.device;
  return name.starts_with("cuda") ? TranslationSettings{}.batch_tokens : ServingSettings{}.batch_tokens;
}

OpenedModel::OpenedModel(const ModelSource& source, const ServingSettings& settings, Log& log)
    : file_(model_file(source.path)),
      models_(opened(file_, source, settings)),
      shortlist_(opened_shortlist(source, models_.first())),
      service_(models_.all(), models_.workers(), service_settings(*this, source, settings, log)) {
  warn_of_short_vocabularies(model().vocabularies, file_, log);
}

std::size_t OpenedModel::bytes() const {
  std::size_t bytes = 0;
  for (const SavedModel* saved : models_.all()) {
    for (const FileTensor& tensor : tensors_beside_weights(saved->vocabularies, shortlist_.get()))
      bytes += tensor.bytes();
    for (const Parameters::Entry& entry : saved->model->parameters().entries())
      bytes += entry.parameter.value.bytes() + (entry.parameter.scale ? entry.parameter.scale.bytes() : 0);
  }
  return bytes;
}

ServedModel::ServedModel(OpenedModel& opened, const ModelSource& source, const ServingSettings& settings)
    : opened_(opened),
      vocabularies_(std::make_shared<const Vocabularies>(
          in_languages(opened.model(), languages_for(opened.model(), source)))),
      search_(std::make_shared<const SearchSettings>(
          defaults_of(opened, vocabularies_->target, source, silent_log()).search)),
      replace_unknown_(settings.replace_unknown ? settings.replace_unknown
                                                : nmt::replaces_unknown(opened.model(), opened.file())),
      keep_(settings.keep),
      keep_instead_(loses_emoji(*vocabularies_, opened.service().settings().allowed)
                        ? std::make_shared<const KeepRules>(std::vector<std::string>{"emoji"})
                        : nullptr),
      max_length_(settings.max_length.value_or(kUsualMaxLength)),
      too_long_(settings.too_long),
      splits_(settings.splits),
      splitter_(source.pair.source.empty() ? settings.split_language : source.pair.source,
                settings.abbreviations),
      cache_(static_cast<std::size_t>(settings.cached_sentences)) {}

}  // namespace nmt
