// Fuzz target: requests for translations, as JSON.
#include <memory>

#include "common/text/utf8.h"
#include "engine/json_request.h"
#include "fuzz/check.h"
#include "fuzz/target.h"

namespace nmt::fuzz {
namespace of_request {
namespace {

std::vector<std::string> seeds() {
  return {
      R"({"text": "A dog runs."})",
      R"({"text": "Zwei\nZeilen \u00e4\ud83d\ude00", "beam": 6, "n_best": 3, "length_penalty": 0.6, "distinct": true})",
      R"({"text": "a", "sample": true, "temperature": 0.5, "top_k": 3, "top_p": 0.9, "min_p": 0.1, "epsilon": 0.02, "seed": 7})",
      R"({"text": "a", "sample": true, "without_replacement": true, "n_best": 3})",
      R"({"text": "a", "constraints": ["b", ["c", "d e"]], "avoid": ["f"], "prefix": ""})",
      R"({"text": "a b. c", "glossary": [["a", ["b", "c"], "case,prefix"], ["C", null]], "beam": 1})",
      R"({"text": "a", "mbr": "chrf", "candidates": 4, "beam": 4, "coverage_penalty": 0.2})",
      R"({"text": "<p>a <b class=\"x\">b</b> &amp; <br> c</p><!-- d -->", "markup": true, "replace_unknown": true})"};
}

std::vector<std::string> words() {
  return {"\"text\"",      "\"markup\": true",
          "\"beam\": 1e9", "\"alternatives\": true",
          "null",          "[[[[",
          "{\"a\":",       "-1",
          "\\ud83d",       "<b>",
          "</b>",          "<!--",
          "&#0;",          "\xFF"};
}

void load(const std::string& bytes) {
  TranslationRequest request{.text = {}, .search = std::make_shared<const SearchSettings>()};
  take_request(std::string_view(bytes), request);
  set_apart(request);
  check(request.text.find('\n') == std::string::npos && count_invalid_utf8(request.text) == 0,
        "what is translated is a line of UTF-8");
  for (const FoundTerm& term : terms_of(request, request.text, {}))
    check(request.text.find(term.source) != std::string::npos && !term.targets.empty(),
          "a term is in its text");
  const SearchSettings& search = *request.search;
  check(search.beam > 0 && search.n_best > 0, "there is something to find");
}

}  // namespace
}  // namespace of_request

Target request_target() {
  using namespace of_request;
  return {"request", seeds, words, load};
}

}  // namespace nmt::fuzz
