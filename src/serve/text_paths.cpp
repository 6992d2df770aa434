#include "serve/text_paths.h"

#include <algorithm>

#include "common/text/utf8.h"
#include "serve/call.h"
#include "serve/translation_server.h"

namespace nmt {
namespace {

/// Throws CallError for languages that no model translates, such as "from en to de".
[[noreturn]] void refuse_languages(const LanguagePairs& pairs, const std::string& languages) {
  constexpr std::size_t kMostBytes = 200;
  throw CallError(400, "no model translates {}; {}", beginning_of(languages, kMostBytes),
                  pairs.targets().empty()
                      ? "no model has its languages in its name, as in en-de=FILE, so name a 'model'"
                      : "/languages lists the pairs");
}

/// Returns the target language, and the languages that are translated to it.
std::vector<std::string> candidates_for(const LanguagePairs& pairs, const std::string& target) {
  std::vector<std::string> candidates = pairs.sources_of(target);
  if (std::ranges::count(candidates, target) == 0) candidates.push_back(target);
  return candidates;
}

/// Returns the language that a text is translated from. A text counts as being in the target language, and
/// comes back unchanged, only if that is more probable than not; a short text is often taken for another.
DetectedLanguage source_of(const LanguageDetector& languages, const std::string& text,
                           std::vector<std::string> candidates, const std::string& target) {
  constexpr int kMoreProbable = 50;  // percent
  DetectedLanguage first = languages.detect(text, candidates).front();
  std::erase(candidates, target);
  if (first.code != target || first.percent >= kMoreProbable || candidates.empty()) return first;
  return languages.detect(text, candidates).front();
}

std::string without_markup(const std::string& text) {
  TranslationRequest request{.text = text, .search = nullptr, .has_markup = true};
  set_apart(request);
  return request.text;
}

/// Throws CallError if the models of these paths may not all be open at the same time.
void check_memory(const Call& call, const std::vector<ModelPath>& paths) {
  std::vector<std::size_t> models;
  for (const ModelPath& path : paths) models.insert(models.end(), path.begin(), path.end());
  if (!call.models().fit_together(models)) {
    throw CallError(400,
                    "these texts are in several languages, whose models do not fit into the memory of the "
                    "server together; send a request for each language");
  }
}

}  // namespace

LanguagePairs::LanguagePairs(const std::vector<ModelSource>& models, const std::string& pivot)
    : longest_path_(pivot.empty() ? 1 : 2) {
  for (std::size_t i = 0; i < models.size(); ++i) {
    const Languages& pair = models[i].pair;
    if (pair.target.empty()) continue;
    targets_[pair.source].try_emplace(pair.target, ModelPath{i});
    targets_[pair.target];  // the target is also a language
  }
  if (pivot.empty()) return;
  const Targets behind = targets_[pivot];
  bool is_reached = false;
  for (auto& [source, targets] : targets_) {
    const auto to_pivot = targets.find(pivot);
    if (to_pivot == targets.end()) continue;
    is_reached = true;
    for (const auto& [target, from_pivot] : behind) {
      if (target != source)
        targets.try_emplace(target, ModelPath{to_pivot->second.front(), from_pivot.front()});
    }
  }
  if (behind.empty() || !is_reached) {
    throw UsageError("`pivot` '{}': it needs a model to this language and one from it, as fr-{} and {}-de",
                     pivot, pivot, pivot);
  }
}

std::vector<std::string> LanguagePairs::sources_of(const std::string& target) const {
  std::vector<std::string> sources;
  for (const auto& [code, reached] : targets_) {
    if (reached.contains(target)) sources.push_back(code);
  }
  if (sources.empty()) refuse_languages(*this, "to " + target);
  return sources;
}

ModelPath LanguagePairs::path(const Languages& pair) const {
  if (const auto targets = targets_.find(pair.source); targets != targets_.end()) {
    const auto found = targets->second.find(pair.target);
    if (found != targets->second.end()) return found->second;
    if (pair.source == pair.target) return {};
  }
  refuse_languages(*this, fmt::format("from {} to {}", pair.source, pair.target));
}

ModelPath detected_path(const LanguagePairs& pairs, const LanguageDetector& languages,
                        const std::string& text, const std::string& target) {
  return pairs.path({source_of(languages, text, candidates_for(pairs, target), target).code, target});
}

TextPaths text_paths(const Call& call, const std::vector<std::string>& texts, const Languages& pair,
                     bool has_markup) {
  const LanguagePairs& pairs = call.server().pairs();
  TextPaths found;
  if (pair.source != "auto") {
    found.paths.push_back(pairs.path(pair));
    found.numbers.resize(texts.size(), 0);
    return found;
  }
  const std::vector<std::string> candidates = candidates_for(pairs, pair.target);
  const LanguageDetector& languages = call.server().languages();
  for (const std::string& text : texts) {
    found.detected.push_back(
        source_of(languages, has_markup ? without_markup(text) : text, candidates, pair.target));
    const ModelPath path = pairs.path({found.detected.back().code, pair.target});
    const auto same = std::ranges::find(found.paths, path);
    found.numbers.push_back(static_cast<std::size_t>(same - found.paths.begin()));
    if (same == found.paths.end()) found.paths.push_back(path);
  }
  check_memory(call, found.paths);
  return found;
}

}  // namespace nmt
