// The web page of the server.
#include "pictures/page.h"

#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "data/language/language_detector.h"
#include "serve/interfaces/interfaces.h"
#include "serve/translation_server.h"

namespace nmt {
namespace {

using nlohmann::ordered_json;

/// The last script uses the others while it is loaded.
constexpr std::array kScripts = {"translate_server.js", "translate_menu.js", "translate_languages.js",
                                 "translate_panes.js", "translate.js"};

constexpr const char* kBody = R"html(<h1>Translate</h1>
<main>
<section class="pane" aria-label="Text">
<div class="bar"><label>From <select id="source"></select></label><span class="space"></span>
<button id="clear">Clear</button></div>
<div class="field"><div id="backdrop" dir="auto" aria-hidden="true"></div>
<textarea id="text" dir="auto" aria-label="text to translate" placeholder="Type, paste or drop text here" spellcheck="false" autofocus></textarea></div>
<p class="foot"><span id="count"></span></p>
</section>
<button id="swap" aria-label="swap languages" title="swap languages">&#8644;</button>
<section class="pane" aria-label="Translation">
<div class="bar"><label>To <select id="target"></select></label><span class="space"></span>
<button id="copy">Copy</button></div>
<div id="output" dir="auto" role="group" aria-label="translation" aria-live="polite"></div>
<p class="foot"><span id="status" role="status"></span><span id="legend" hidden>shaded: where the model looked for this word</span></p>
</section>
</main>
<details id="settings"><summary>Settings</summary>
{}<label>Beam <input id="beam" type="number" min="1" max="64" placeholder="model's"></label>
<label>Length penalty <input id="penalty" type="number" min="0" max="10" step="0.1" placeholder="model's"></label>
<p class="muted">Words with dots below are improbable. Click a word, or press Enter on it, for others, and for words that its sentence must contain.{}</p>
<pre id="commands" aria-label="commands that do the same"></pre>
</details>
<footer class="muted">{} &middot; <a href="openapi.json">API</a></footer>)html";
constexpr std::string_view kAboutQuality =
    " The figure after a sentence is an estimate of its quality by a model; a flag marks the lowest tenth.";
constexpr std::string_view kKeyField =
    "<label>Key <input id=\"key\" type=\"password\" autocomplete=\"off\"></label>\n";

}  // namespace

void answer_page(Call& call) {
  ordered_json models = ordered_json::array(), languages = ordered_json::array();
  std::set<std::string> codes;
  for (const ModelSource& source : call.models().sources()) {
    ordered_json& model = models.emplace_back(ordered_json{{"name", source.name}});
    if (source.pair.target.empty()) continue;
    model["source"] = source.pair.source;
    model["target"] = source.pair.target;
    codes.insert({source.pair.source, source.pair.target});
  }
  for (const std::string& code : codes) languages.push_back({{"code", code}, {"name", language_name(code)}});
  std::string script;
  for (const char* file : kScripts) script += asset(file);
  const bool is_judged = call.server().judge() != nullptr;
  Page page{.title = "Translate",
            .body = fmt::format(fmt::runtime(kBody), call.needs_key() ? kKeyField : "",
                                is_judged ? kAboutQuality : "", program_version()),
            .style = asset("translate.css"),
            .script = script,
            .data = {{"models", models},
                     {"languages", languages},
                     {"most_characters", call.most_characters()},
                     {"quality", is_judged}},
            .is_served = true};
  call.answer({.type = "text/html; charset=utf-8",
               .body = html_page(page),
               .fields = {{"X-Frame-Options", "DENY"}, {"Cross-Origin-Resource-Policy", "same-origin"}}});
}

}  // namespace nmt
