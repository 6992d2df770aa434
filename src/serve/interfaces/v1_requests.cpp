#include "serve/interfaces/v1_requests.h"

#include <algorithm>
#include <utility>

#include "engine/json_request.h"
#include "serve/clients/request_limits.h"
#include "serve/text_paths.h"
#include "serve/translation_server.h"
#include "translate/service/source_context.h"

namespace nmt {
namespace {

using nlohmann::json;

/// Throws UsageError if a request names other languages than those of its model, or any if those of the model
/// are unknown.
void check_languages(const ModelSource& model, const Languages& asked) {
  const bool names_source = !asked.source.empty() && asked.source != "auto";
  if (!names_source && asked.target.empty()) return;
  if (model.pair.target.empty()) {
    throw UsageError(
        "the model '{}' has no languages in its name, so 'source' and 'target' cannot be checked; leave them "
        "out, or serve it as in -m en-de=FILE",
        model.name);
  }
  const bool is_other_source = names_source && asked.source != model.pair.source;
  if (!is_other_source && (asked.target.empty() || asked.target == model.pair.target)) return;
  throw UsageError(
      "the model '{}' translates from '{}' to '{}', but 'source' or 'target' is another language; "
      "leave out 'model', or both languages",
      model.name, model.pair.source, model.pair.target);
}

}  // namespace

AskedPath v1_path(const Call& call, json& request) {
  const std::string name = v1_value<std::string>(request, "model", "", "the name of a model");
  Languages pair = call.as_served({v1_value<std::string>(request, "source", "", "the code of a language"),
                                   v1_value<std::string>(request, "target", "", "the code of a language")});
  const auto& sources = call.models().sources();
  if (name.empty() && !pair.target.empty()) {
    const auto has_target = [&](const ModelSource& source) { return source.pair.target == pair.target; };
    if (pair.source.empty()) {
      pair.source = std::ranges::count_if(sources, has_target) == 1
                        ? std::ranges::find_if(sources, has_target)->pair.source
                        : "auto";
    }
    const LanguagePairs& pairs = call.server().pairs();
    if (pair.source != "auto") return {.path = pairs.path(pair), .target = pair.target};
    pairs.sources_of(pair.target);  // throws if there are none
    return {.path = std::nullopt, .target = pair.target};
  }
  if (name.empty() && sources.size() > 1)
    throw UsageError("name a 'model', or its 'source' and 'target'; /v1/models lists them");
  const std::size_t model = name.empty() ? 0 : call.model_named(name);
  check_languages(sources[model], pair);
  return {.path = ModelPath{model}, .target = sources[model].pair.target};
}

void check_v1_path(const Call& call, const ModelPath& path, const json& request) {
  if (path.size() < 2) return;
  for (const char* name : {"alignment", "token_scores", "markup", "replace_unknown", "stream", "prefix",
                           "constraints", "glossary", "avoid", "sample", "mbr", "alternatives", "quality"}) {
    if (request.contains(name) && request[name] != false) {
      throw UsageError("'{}' needs a single model, but these languages need two, {}; leave it out", name,
                       call.name_of(path));
    }
  }
}

StoredGlossaryPtr take_v1_glossary(const Call& call, json& request) {
  const auto found = request.find("glossary");
  if (found == request.end() || !found->is_string()) return nullptr;
  const auto id = found->get<std::string>();
  request.erase(found);
  return call.glossary(id);
}

TranslationRequest v1_request(const std::string& name, const ServedModel& model, TranslationRequest asked,
                              const json& settings) {
  asked.search = model.search();
  asked.replace_unknown = model.replaces_unknown(false);
  asked.keep = asked.align ? nullptr : model.keep(false);
  asked.too_long = model.too_long();
  take_settings(settings, asked, Requester::client);
  check_limits(asked, *model.search());
  if (asked.context.most > 0) check_separators(*model.vocabularies());
  if (model.is_right_to_left()) check_right_to_left(asked, name);
  return asked;
}

TranslationRequest v1_request_to_none(TranslationRequest asked, const json& settings) {
  static const auto kUsual = std::make_shared<const SearchSettings>();
  asked.search = kUsual;
  take_settings(settings, asked, Requester::client);
  check_limits(asked, *kUsual);
  return asked;
}

TranslationRequest with_one_translation(TranslationRequest asked) {
  SearchSettings search = *asked.search;
  search.n_best = 1;
  search.distinct = false;
  asked.search = std::make_shared<const SearchSettings>(search);
  return asked;
}

}  // namespace nmt
