// The history: texts and their translations, which only this browser keeps, newest first.

const mostEntries = 100;
const mostHistoryCharacters = 500_000; // of all entries together
const previewCharacters = 200;
const keepsHistory = () => kept("localStorage", "nmt-keep-history", true);
const pastTexts = () => kept("localStorage", "nmt-history", []);
const keepPast = (entries) => keep("localStorage", "nmt-history", entries);
let isLastKept = true; // whether the browser had room for the last text

// Whether a text is a version of another one: at least half of the longer one is their common beginning.
function isVersionOf(a, b) {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  return 2 * same >= Math.max(a.length, b.length);
}

// Returns the newest entries that the history has room for.
function bounded(entries) {
  let left = mostHistoryCharacters;
  const first = entries.findIndex(({ text, translation }) => (left -= text.length + translation.length) < 0);
  return entries.slice(0, Math.min(mostEntries, first < 0 ? mostEntries : first));
}

// Adds a text to the history, where it replaces its previous version and its earlier occurrence.
function remember(entry) {
  if (!keepsHistory() || !entry.text.trim()) return;
  const isSamePair = (other) => other.source === entry.source && other.target === entry.target;
  const others = pastTexts().filter((other, i) =>
    !(isSamePair(other) && (other.text === entry.text || (i === 0 && isVersionOf(other.text, entry.text)))));
  let entries = bounded([{ ...entry, time: Date.now() }, ...others]);
  while (!(isLastKept = keepPast(entries)) && entries.length > 1) entries = entries.slice(0, entries.length / 2);
}

function showHistory() {
  const entries = pastTexts();
  find("keep_history").checked = keepsHistory();
  find("clear_history").disabled = entries.length === 0;
  const preview = (text, code) => element("span", { class: "preview", dir: "auto", lang: tagOf(code) },
    text.length > previewCharacters ? `${text.slice(0, previewCharacters)}…` : text);
  find("past").replaceChildren(...entries.map((entry, i) => element("li", {},
    element("button", { class: "entry", click: () => useAgain(entry) }, preview(entry.text, entry.source), preview(entry.translation, entry.target),
      element("span", { class: "muted" }, `${labelOf(entry.source)} → ${labelOf(entry.target)}, ${new Date(entry.time).toLocaleString()}`)),
    element("button", { "aria-label": `delete from the history: ${entry.text.slice(0, 40)}`, click: () => forget(i) }, "✕"))));
  find("history_status").textContent = !isLastKept ? "The browser has no room for the last text, or does not let this page keep it."
    : entries.length > 0 ? "" : "The history is empty.";
}

function forget(place) {
  keepPast(pastTexts().filter((_, i) => i !== place));
  showHistory();
  const left = find("past").children;
  (left[Math.min(place, left.length - 1)]?.lastChild ?? find("keep_history")).focus();
}

// Translates a text of the history again, unless the server has no model for its languages any more.
function useAgain({ source, target, text, translation }) {
  const isServed = models.some(({ from, to }) => from === source && to === target);
  find("history").close();
  if (isServed) chooseLanguages(source, target);
  input.value = text;
  input.focus();
  if (isServed) translate();
  else showInstead(translation, `This server does not translate from ${labelOf(source)} to ${labelOf(target)}.`, true);
}

function openHistory() {
  showHistory();
  find("history").showModal();
}

find("open_history").addEventListener("click", openHistory);
find("keep_history").addEventListener("change", ({ target }) => keep("localStorage", "nmt-keep-history", target.checked));
find("clear_history").addEventListener("click", () => {
  if (!confirm("Delete all texts of the history?")) return;
  keepPast([]);
  showHistory();
  find("keep_history").focus();
});
