#include "serve/text_paths.h"

#include <algorithm>

#include "serve/translation_server.h"

namespace nmt {
namespace {

/// Adds the languages that are reached by way of the pivot language, if there is one.
void add_by_way_of(const std::string& pivot, Targets& targets) {
  if (pivot.empty()) return;
  const std::set<std::string> behind = targets[pivot];
  for (auto& [code, reached] : targets) {
    if (!reached.contains(pivot)) continue;
    for (const std::string& target : behind) {
      if (target != code) reached.insert(target);
    }
  }
}

/// Returns the target language, and the languages that are translated to it.
std::vector<std::string> candidates_for(const Targets& targets, const std::string& target) {
  std::vector<std::string> candidates;
  for (const auto& [code, reached] : targets) {
    if (reached.contains(target)) candidates.push_back(code);
  }
  if (candidates.empty())
    throw CallError(400, "no model translates to {}; /languages lists the pairs", target);
  if (std::ranges::count(candidates, target) == 0) candidates.push_back(target);
  return candidates;
}

/// Returns the language that a text is translated from. A text counts as being in the target language, and
/// comes back unchanged, only if that is more probable than not; a short text is often taken for another.
DetectedLanguage source_of(const LanguageDetector& languages, const std::string& text,
                           std::vector<std::string> candidates, const std::string& target) {
  constexpr int kMoreProbable = 50;  // percent
  const DetectedLanguage first = languages.detect(text, candidates).front();
  std::erase(candidates, target);
  if (first.code != target || first.percent >= kMoreProbable || candidates.empty()) return first;
  return languages.detect(text, candidates).front();
}

std::string without_markup(const std::string& text) {
  TranslationRequest request{.text = text, .search = nullptr, .has_markup = true};
  set_apart(request);
  return request.text;
}

/// Returns the models from one language to another; none if a text in `pair.source` needs no translation.
std::optional<ModelPath> path_or_none(const Call& call, const Targets& targets, const Languages& pair) {
  const bool is_same = pair.source == pair.target && targets.contains(pair.target);
  if (is_same && std::ranges::count(call.models().sources(), pair, &ModelSource::pair) == 0)
    return std::nullopt;
  return call.path_for(pair);
}

/// Throws CallError if the models of these paths may not all be open at the same time.
void check_memory(const Call& call, const std::vector<std::optional<ModelPath>>& paths) {
  std::vector<std::size_t> models;
  for (const auto& path : paths) {
    if (path) models.push_back(path->first);
    if (path && path->second) models.push_back(*path->second);
  }
  if (!call.models().fit_together(models)) {
    throw CallError(400,
                    "these texts are in several languages, whose models do not fit into the memory of the "
                    "server together; send a request for each language");
  }
}

}  // namespace

Targets targets_of(const Call& call) {
  Targets targets;
  for (const ModelSource& model : call.models().sources()) {
    if (model.pair.target.empty()) continue;
    targets[model.pair.source].insert(model.pair.target);
    targets[model.pair.target];  // the target is also a language
  }
  add_by_way_of(call.server().settings().pivot, targets);
  return targets;
}

TextPaths text_paths(const Call& call, const std::vector<std::string>& texts, const Languages& pair,
                     bool has_markup) {
  const Targets targets = targets_of(call);
  TextPaths found;
  if (pair.source != "auto") {
    found.paths.push_back(path_or_none(call, targets, pair));
    found.numbers.resize(texts.size(), 0);
    return found;
  }
  const std::vector<std::string> candidates = candidates_for(targets, pair.target);
  const LanguageDetector& languages = call.server().languages();
  for (const std::string& text : texts) {
    found.detected.push_back(
        source_of(languages, has_markup ? without_markup(text) : text, candidates, pair.target));
    const auto path = path_or_none(call, targets, {found.detected.back().code, pair.target});
    const auto same = std::ranges::find(found.paths, path);
    found.numbers.push_back(static_cast<std::size_t>(same - found.paths.begin()));
    if (same == found.paths.end()) found.paths.push_back(path);
  }
  check_memory(call, found.paths);
  return found;
}

}  // namespace nmt
