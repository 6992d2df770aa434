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

/// In this order: the first has what the others use while they are loaded, and the last uses all others.
constexpr std::array kScripts = {"translate_elements.js",
                                 "translate_server.js",
                                 "translate_kept.js",
                                 "translate_panes.js",
                                 "translate_languages.js",
                                 "translate_glossaries.js",
                                 "translate_menu.js",
                                 "translate_terms.js",
                                 "translate_files.js",
                                 "translate_documents.js",
                                 "translate_history.js",
                                 "translate_keys.js",
                                 "translate.js"};

constexpr const char* kBody = R"html(<header>
<h1>Translate</h1><span class="space"></span>
<label>Glossary <select id="glossary"></select></label>
<button id="open_glossaries" aria-haspopup="dialog">Glossaries&hellip;</button>
<button id="open_history" aria-haspopup="dialog">History&hellip;</button>
</header>
<main>
<div class="panes">
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
</div>
{documents}<details id="settings"><summary>Settings</summary>
{key}<label>Beam <input id="beam" type="number" min="1" max="64" placeholder="model's"></label>
<label>Length penalty <input id="penalty" type="number" min="0" max="10" step="0.1" placeholder="model's"></label>
<p class="muted">Words with dots below are improbable. Click a word, or press Enter on it, for others, and for words that its sentence must contain.{quality}</p>
<pre id="commands" role="region" aria-label="commands that do the same" tabindex="0"></pre>
</details>
<details id="keys"><summary>Keyboard</summary>
<dl id="shortcuts"></dl>
</details>
</main>
<dialog id="glossaries" aria-labelledby="glossaries_title">
<h2 id="glossaries_title">Glossaries</h2>
<div class="row"><label>Glossary <select id="edited_glossary"></select></label>
<label>Name <input id="glossary_name" autocomplete="off"></label>
<label>Languages <select id="dictionary"></select></label></div>
<p class="muted">A sentence with a term gets its translation. Alternatives have | between them; a term without a translation stays as it is. {place}</p>
<div class="row"><label>Find <input id="find_term" type="search" autocomplete="off"></label>
<button id="add_term">Add a term</button><span id="terms_count" class="muted" role="status"></span></div>
<ul id="terms" aria-label="terms"></ul>
<p id="glossary_status" role="status"></p>
<div class="row"><button id="import_terms">Import TSV&hellip;</button><input id="terms_file" type="file" accept=".tsv,.txt,text/plain,text/tab-separated-values" hidden>
<button id="export_terms">Export TSV</button><button id="delete_glossary">Delete</button><span class="space"></span>
<button id="save_glossary" class="main">Save</button><form method="dialog"><button>Close</button></form></div>
</dialog>
<dialog id="history" aria-labelledby="history_title">
<h2 id="history_title">History</h2>
<p><label><input id="keep_history" type="checkbox"> Keep a history</label> <span class="muted">Only this browser has it.</span></p>
<p id="history_status" class="muted" role="status"></p>
<ul id="past"></ul>
<div class="row"><button id="clear_history">Delete all</button><span class="space"></span><form method="dialog"><button>Close</button></form></div>
</dialog>
<footer class="muted">{version} &middot; <a href="openapi.json">API</a></footer>)html";
constexpr std::string_view kDocuments = R"html(<section id="documents" aria-label="Documents">
<div class="row"><button id="choose">Translate documents&hellip;</button><input id="files" type="file" multiple hidden>
<span class="muted">or drop them anywhere on this page</span></div>
<ul id="jobs" aria-label="documents"></ul>
<p id="documents_status" role="status" class="spoken"></p>
</section>
)html";
constexpr std::string_view kGlossariesOfKey = "The server keeps glossaries, for everybody who has this key.";
constexpr std::string_view kSharedGlossaries = "The server keeps glossaries, for everybody who uses it.";
constexpr std::string_view kKeptGlossaries = "Only this browser keeps glossaries.";
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
  const std::int64_t most_document_bytes = call.server().settings().most_document_bytes;
  const bool stores_glossaries = call.server().glossaries() != nullptr;
  Page page{.title = "Translate",
            .body = fmt::format(fmt::runtime(kBody),
                                fmt::arg("documents", most_document_bytes > 0 ? kDocuments : ""),
                                fmt::arg("key", call.needs_key() ? kKeyField : ""),
                                fmt::arg("quality", is_judged ? kAboutQuality : ""),
                                fmt::arg("place", !stores_glossaries ? kKeptGlossaries
                                                  : call.needs_key() ? kGlossariesOfKey
                                                                     : kSharedGlossaries),
                                fmt::arg("version", program_version())),
            .style = asset("translate.css"),
            .script = script,
            .data = {{"models", models},
                     {"languages", languages},
                     {"most_characters", call.most_characters()},
                     {"most_document_bytes", most_document_bytes},
                     {"quality", is_judged},
                     {"glossaries", stores_glossaries}},
            .is_served = true};
  call.answer({.type = "text/html; charset=utf-8",
               .body = html_page(page),
               .fields = {{"X-Frame-Options", "DENY"}, {"Cross-Origin-Resource-Policy", "same-origin"}}});
}

}  // namespace nmt
