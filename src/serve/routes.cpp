#include "serve/routes.h"

#include <algorithm>
#include <array>
#include <optional>

#include "serve/interfaces/deepl_requests.h"
#include "serve/interfaces/interfaces.h"

namespace nmt {
namespace {

using Kind = HttpRequest::Kind;

/// Returns a path of DeepL's interface, which asks for keys itself, as they may be in forms.
constexpr Route deepl(std::string_view method, std::string_view path, Interface answer,
                      bool takes_document = false) {
  return {.kind = Kind::plain,
          .method = method,
          .path = path,
          .interface = "deepl",
          .access = Access::all,
          .answer = answer,
          .error_body = deepl_error_body,
          .takes_document = takes_document};
}

constexpr std::array kRoutes = {
    Route{Kind::plain, "GET", "/", "page", Access::all, answer_page},
    Route{Kind::plain, "GET", "/health", "operations", Access::all, answer_ready, true},
    Route{Kind::plain, "GET", "/health/live", "operations", Access::all, answer_live, true},
    Route{Kind::plain, "GET", "/health/ready", "operations", Access::all, answer_ready, true},
    Route{Kind::plain, "POST", "/v1/translate", "v1", Access::clients, answer_v1_translate},
    Route{Kind::plain, "GET", "/v1/models", "v1", Access::clients, answer_v1_models},
    Route{Kind::plain, "GET", "/v1/glossaries", "v1", Access::clients, answer_v1_glossaries},
    Route{Kind::plain, "POST", "/v1/glossaries", "v1", Access::clients, answer_v1_new_glossary},
    Route{Kind::plain, "GET", "/v1/glossaries/*", "v1", Access::clients, answer_v1_glossary},
    Route{Kind::plain, "PUT", "/v1/glossaries/*", "v1", Access::clients, answer_v1_changed_glossary},
    Route{Kind::plain, "DELETE", "/v1/glossaries/*", "v1", Access::clients, answer_v1_deleted_glossary},
    Route{Kind::plain, "GET", "/v1/documents", "v1", Access::clients, answer_v1_documents},
    Route{Kind::plain, "POST", "/v1/documents", "v1", Access::clients, answer_v1_new_document, false,
          usual_error_body, true},
    Route{Kind::plain, "GET", "/v1/documents/*", "v1", Access::clients, answer_v1_document},
    Route{Kind::plain, "GET", "/v1/documents/*/result", "v1", Access::clients, answer_v1_translated_document},
    Route{Kind::plain, "DELETE", "/v1/documents/*", "v1", Access::clients, answer_v1_deleted_document},
    Route{Kind::plain, "GET", "/openapi.json", "v1", Access::all, answer_openapi},
    Route{Kind::plain, "POST", "/translate", "libretranslate", Access::all, answer_libretranslate},
    Route{Kind::plain, "POST", "/detect", "libretranslate", Access::all, answer_detect},
    Route{Kind::plain, "GET", "/languages", "libretranslate", Access::all, answer_languages},
    Route{Kind::plain, "GET", "/frontend/settings", "libretranslate", Access::all, answer_frontend_settings},
    Route{Kind::handshake, "GET", "/translate", "marian", Access::clients, answer_marian},
    Route{Kind::message, "GET", "/translate", "marian", Access::clients, answer_marian},
    Route{Kind::plain, "POST", "/translator/translate", "opennmt", Access::clients, answer_opennmt},
    Route{Kind::plain, "GET", "/translator/models", "opennmt", Access::clients, answer_opennmt_models},
    Route{Kind::plain, "POST", "/v1/chat/completions", "openai", Access::clients, answer_openai_chat, false,
          openai_error_body},
    Route{Kind::plain, "GET", "/v1/models/*", "openai", Access::clients, answer_openai_model, false,
          openai_error_body},
    Route{Kind::plain, "POST", "/translate_file", "libretranslate", Access::all, answer_translate_file, false,
          usual_error_body, true},
    Route{Kind::plain, "GET", "/download_file/*", "libretranslate", Access::all, answer_download_file},
    Route{Kind::plain, "POST", "/suggest", "libretranslate", Access::all, answer_suggest},
    deepl("POST", "/v2/translate", answer_deepl_translate),
    deepl("POST", "/v2/document", answer_deepl_new_document, true),
    deepl("POST", "/v2/document/*", answer_deepl_document),
    deepl("POST", "/v2/document/*/result", answer_deepl_translated_document),
    deepl("GET", "/v2/languages", answer_deepl_languages),
    deepl("POST", "/v2/languages", answer_deepl_languages),
    deepl("GET", "/v2/usage", answer_deepl_usage),
    deepl("POST", "/v2/usage", answer_deepl_usage),
    deepl("GET", "/v2/glossary-language-pairs", answer_deepl_glossary_pairs),
    deepl("GET", "/v2/glossaries", answer_deepl_v2_glossaries),
    deepl("POST", "/v2/glossaries", answer_deepl_v2_new_glossary),
    deepl("GET", "/v2/glossaries/*", answer_deepl_v2_glossary),
    deepl("DELETE", "/v2/glossaries/*", answer_deepl_glossary_removal),
    deepl("GET", "/v2/glossaries/*/entries", answer_deepl_v2_entries),
    deepl("GET", "/v3/glossaries", answer_deepl_v3_glossaries),
    deepl("POST", "/v3/glossaries", answer_deepl_v3_new_glossary),
    deepl("GET", "/v3/glossaries/*", answer_deepl_v3_glossary),
    deepl("PATCH", "/v3/glossaries/*", answer_deepl_v3_change),
    deepl("DELETE", "/v3/glossaries/*", answer_deepl_glossary_removal),
    deepl("GET", "/v3/glossaries/*/entries", answer_deepl_v3_entries),
    deepl("PUT", "/v3/glossaries/*/dictionaries", answer_deepl_v3_dictionary),
    deepl("DELETE", "/v3/glossaries/*/dictionaries", answer_deepl_v3_dictionary_removal),
    Route{Kind::plain, "GET", "/metrics", "operations", Access::operators, answer_metrics, true},
    Route{Kind::plain, "POST", "/reload", "operations", Access::operators, answer_reload},
};

/// Removes and returns the first segment of a path, which begins with "/"; nothing if there is none.
std::optional<std::string_view> take_segment(std::string_view& path) {
  if (path.empty()) return std::nullopt;
  path.remove_prefix(1);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

bool matches(std::string_view pattern, std::string_view path) {
  while (true) {
    const auto wanted = take_segment(pattern), given = take_segment(path);
    if (!wanted || !given) return !wanted && !given;
    const bool is_any = *wanted == "*" && !given->empty();
    if (!is_any && *wanted != *given) return false;
  }
}

}  // namespace

const Route& route_of(const HttpRequest& request) {
  std::string allowed;
  const std::string& method = request.method == "HEAD" ? "GET" : request.method;
  for (const Route& route : kRoutes) {
    if (route.kind != request.kind || !matches(route.path, request.path)) continue;
    if (route.method == method) return route;
    allowed +=
        (allowed.empty() ? "" : ", ") + std::string(route.method == "GET" ? "GET, HEAD" : route.method);
  }
  if (!allowed.empty()) throw WrongMethod(request.path, request.method, std::move(allowed));
  throw CallError(404, "unknown path {}", request.path);
}

const Route* document_route(std::string_view method, std::string_view path) {
  const auto* const found = std::ranges::find_if(kRoutes, [&](const Route& route) {
    return route.takes_document && route.method == method && matches(route.path, path);
  });
  return found == kRoutes.end() ? nullptr : found;
}

ErrorBody error_body_of(std::string_view path) {
  const auto of_path = [path](const Route& route) { return matches(route.path, path); };
  const auto of_segment = [first = segment_of(path, 0)](const Route& route) {
    return segment_of(route.path, 0) == first;
  };
  const auto* found = std::ranges::find_if(kRoutes, of_path);
  if (found == kRoutes.end()) found = std::ranges::find_if(kRoutes, of_segment);
  return found == kRoutes.end() ? usual_error_body : found->error_body;
}

std::string_view segment_of(std::string_view path, std::size_t number) {
  std::string_view segment;
  for (std::size_t i = 0; i <= number; ++i) {
    const auto next = take_segment(path);
    if (!next) return {};
    segment = *next;
  }
  return segment;
}

}  // namespace nmt
