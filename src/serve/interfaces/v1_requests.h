// The parts that requests of nmt's own interface have in common.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "serve/call.h"

namespace nmt {

/// Removes a value from a request and returns it, or the default if there is none. Throws UsageError for a
/// wrong type.
template <class T>
T v1_value(nlohmann::json& request, const char* name, T value, const char* kind) {
  const auto found = request.find(name);
  if (found == request.end()) return value;
  try {
    value = found->template get<T>();
  } catch (const nlohmann::json::exception&) {
    throw UsageError("'{}' must be {}", name, kind);
  }
  request.erase(found);
  return value;
}

/// The models that a request asks for.
struct AskedPath {
  std::optional<ModelPath> path;  // none: the source language is to be detected
  std::string target;             // code of a language, as served; empty if the model has none
};

/// Returns the path for the `model`, or for the `source` and the `target`, that the request names; if it
/// names neither, of the only model that there is. Without a source language, texts are in the only language
/// that is translated to the target or, if there are several, in one that is to be detected. Removes these
/// values. Throws UsageError and CallError.
AskedPath v1_path(const Call& call, nlohmann::json& request);

/// Throws UsageError for settings about the words of one model if the path has two.
void check_v1_path(const Call& call, const ModelPath& path, const nlohmann::json& request);

/// Returns the stored glossary that the request names by its id; null if it has terms itself, or no glossary.
/// Removes `glossary` in the first case.
StoredGlossaryPtr take_v1_glossary(const Call& call, nlohmann::json& request);

/// Returns the request to one model. `name`: of all models of its path. `asked`: what `settings` does not
/// include. Throws UsageError for settings that the model does not support.
TranslationRequest v1_request(const std::string& name, const ServedModel& model, TranslationRequest asked,
                              const nlohmann::json& settings);
/// Returns the request for a text that is its own translation, checked as for a model with default settings.
TranslationRequest v1_request_to_none(TranslationRequest asked, const nlohmann::json& settings);
/// Returns a request to a model whose translation another one takes: it finds only the best.
TranslationRequest with_one_translation(TranslationRequest asked);

}  // namespace nmt
