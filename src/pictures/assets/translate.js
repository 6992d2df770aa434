// The page of nmt serve. Text is translated sentence by sentence a moment after typing stops; what has been translated
// before is not asked for again. `data` has the models, the most characters of a request, and whether a key is needed.
const find = (id) => document.getElementById(id);
const input = find("text"), output = find("output"), sourceSelect = find("source"), targetSelect = find("target");
const typingPause = 300; // milliseconds
const improbable = 0.3; // words below it are dotted
const known = new Map(); // translations by model, settings and sentence
let parts = []; // the sentences that are shown: where they are in the text, and their translations
let pending = new AbortController(), timer = 0, current = null;

// Languages, and the model for a pair of them. A model of no known languages is its own source.

const models = data.models.map((model) => ({ ...model, from: model.source ?? model.name, to: model.target ?? "" }));
const names = new Map(data.languages.map(({ code, name }) => [code, name]));
const labelOf = (code) => names.get(code) ?? (code || "translation");
const model = () => models.find(({ from, to }) => from === sourceSelect.value && to === targetSelect.value);

function fill(select, codes, chosen) {
  select.replaceChildren(...[...new Set(codes)].map((code) =>
    element("option", { value: code, selected: code === chosen }, labelOf(code))));
}
function fillTargets(chosen) {
  fill(targetSelect, models.filter(({ from }) => from === sourceSelect.value).map(({ to }) => to), chosen);
  const back = models.some(({ from, to }) => from === targetSelect.value && to === sourceSelect.value);
  find("swap").disabled = !back;
}

// Asking the server.

const settings = () => ({
  ...(find("beam").value && { beam: Number(find("beam").value) }),
  ...(find("penalty").value && { length_penalty: Number(find("penalty").value) }),
});
const told = { split: false, alignment: true, token_scores: true };
const keyOf = (sentence) => JSON.stringify([model().name, settings(), sentence]);

async function ask(request, signal) {
  const headers = { "Content-Type": "application/json" };
  if (find("key")?.value) headers.Authorization = `Bearer ${find("key").value}`;
  for (;;) {
    const answer = await fetch("v1/translate", { method: "POST", headers, signal, body: JSON.stringify(request) });
    const body = await answer.json();
    if (answer.ok) return body.translations;
    if (answer.status !== 429 && answer.status !== 503) throw new Error(body.error);
    say("The server is busy; it is asked again.");
    await new Promise((resolve) => { setTimeout(resolve, 1000 * Number(answer.headers.get("Retry-After") ?? 1)); });
    signal.throwIfAborted();
  }
}

function say(text, isError = false) {
  find("status").textContent = text;
  find("status").classList.toggle("error", isError);
}

function tell(error) {
  if (error.name === "AbortError") return;
  say(error instanceof TypeError ? "The server cannot be reached." : error.message, true);
}

// Sentences of a text and where they are; what is between them is kept as it is.
function sentencesOf(text) {
  const pieces = window.Intl?.Segmenter
    ? new Intl.Segmenter(model().source ?? "en", { granularity: "sentence" }).segment(text)
    : [...text.matchAll(/[^\n]+/g)].map((line) => ({ segment: line[0], index: line.index }));
  const sentences = [];
  for (const { segment, index } of pieces) {
    const start = index + segment.length - segment.trimStart().length;
    if (segment.trim()) sentences.push({ source: segment.trim(), start, end: start + segment.trim().length });
  }
  return sentences;
}

async function translate() {
  pending.abort();
  pending = new AbortController();
  const { signal } = pending;
  const text = input.value;
  closeMenu();
  find("count").textContent = `${text.length.toLocaleString("en")} of ${data.most_characters.toLocaleString("en")} characters`;
  showCommands();
  if (text.length > data.most_characters) return say("The text is too long.", true);
  const sentences = sentencesOf(text);
  const missing = [...new Set(sentences.map(({ source }) => source).filter((source) => !known.has(keyOf(source))))];
  try {
    if (missing.length > 0) {
      output.setAttribute("aria-busy", "true");
      const asked = missing.map(keyOf);
      const results = await ask({ ...settings(), ...told, model: model().name, text: missing }, signal);
      results.forEach((result, i) => known.set(asked[i], result));
    }
    parts = sentences.map((sentence) => ({ ...sentence, result: known.get(keyOf(sentence.source)) }));
    say("");
    show(text);
  } catch (error) {
    tell(error);
  } finally {
    if (!signal.aborted) output.removeAttribute("aria-busy");
  }
}

// The translation: words that can be pointed at, and reached by arrow keys.

function wordsOf(part) {
  const { words = [], text, error } = part.result;
  if (error) return [element("span", { class: "muted", title: error }, part.source)];
  if (words.join(" ") !== text) return [text];
  return words.flatMap((word, i) => {
    const probability = Math.exp(part.result.word_log_probabilities[i]);
    const node = element("span", {
      class: probability < improbable ? "word improbable" : "word", role: "button", tabindex: -1, "aria-haspopup": "menu",
      title: `probability ${(100 * probability).toFixed(0)} %; click for others`,
    }, word);
    node.place = { part, word: i };
    return i > 0 ? [" ", node] : [node];
  });
}

function show(text) {
  const nodes = [];
  let end = 0;
  for (const part of parts) {
    nodes.push(text.slice(end, part.start), ...wordsOf(part));
    if (text.slice(part.end, part.end + 1) && !/\s/.test(text[part.end])) nodes.push(" ");
    end = part.end;
  }
  output.replaceChildren(...nodes, text.slice(end));
  const first = output.querySelector(".word");
  if (first) first.tabIndex = 0;
  point(null);
}

// Shades the source words that the model looked at for a word.
function point(place) {
  const backdrop = find("backdrop");
  backdrop.replaceChildren();
  if (!place || place.part.end > input.value.length) return;
  const { part, word } = place;
  const looked = new Set((part.result.alignment ?? []).filter(([, target]) => target === word).map(([source]) => source));
  let end = 0;
  [...part.source.matchAll(/\S+/g)].forEach((found, i) => {
    if (!looked.has(i)) return;
    const start = part.start + found.index;
    backdrop.append(input.value.slice(end, start), element("mark", {}, found[0]));
    end = start + found[0].length;
  });
  backdrop.append(input.value.slice(end), "\n");
  backdrop.scrollTop = input.scrollTop;
}

// Other words in a place: those that hypotheses have there which go only a little further. The rest of a sentence is
// translated anew behind the one that is chosen.

const letters = (text) => text.replaceAll(/[\s\u2581]/g, "");
const further = 3; // tokens that a word has room for

// How many tokens of a translation make up its first words.
function tokensOf({ tokens, words }, count) {
  let left = letters(words.slice(0, count).join("")).length;
  let used = 0;
  while (left > 0 && used < tokens.length) left -= letters(tokens[used++]).length;
  return used;
}

function closeMenu(focus = false) {
  find("menu")?.remove();
  if (focus) current?.focus();
}

async function askBehind(part, words, more) {
  const prefix = words.length > 0 && { prefix: words.join(" ") };
  const [result] = await ask({ ...settings(), ...told, ...prefix, ...more, model: model().name, text: part.source },
    pending.signal);
  if (result.error) throw new Error(result.error);
  return result;
}

async function openMenu(node) {
  closeMenu();
  current = node;
  const { part, word } = node.place;
  const length = tokensOf(part.result, word) + further;
  try {
    const { n_best } = await askBehind(part, part.result.words.slice(0, word),
      { beam: 16, n_best: 16, max_length_factor: 0, max_length_extra: length });
    const others = new Map();
    for (const { words, tokens, word_log_probabilities } of n_best) {
      const isWhole = words.length > word + 1 || (words.length > word && tokens.length < length);
      if (isWhole && !others.has(words[word])) others.set(words[word], Math.exp(word_log_probabilities[word]));
    }
    others.delete(part.result.words[word]);
    if (node.isConnected) showMenu(node, [...others]);
  } catch (error) {
    tell(error);
  }
}

async function choose(node, name, probability) {
  const { part, word } = node.place;
  const place = [...output.querySelectorAll(".word")].indexOf(node);
  closeMenu();
  try {
    const { words, word_log_probabilities: before } = part.result;
    const result = await askBehind(part, [...words.slice(0, word), name], {});
    // What is given counts as certain.
    result.word_log_probabilities?.splice(0, word + 1, ...before.slice(0, word), Math.log(probability));
    known.set(keyOf(part.source), result);
    await translate();
    output.querySelectorAll(".word")[place]?.focus();
  } catch (error) {
    tell(error);
  }
}

function showMenu(node, others) {
  closeMenu();
  const menu = element("ul", { id: "menu", role: "menu", "aria-label": "other words" });
  if (others.length === 0) menu.append(element("li", { class: "muted" }, "no other words"));
  for (const [name, probability] of others) {
    menu.append(element("li", { role: "none" }, element("button", { role: "menuitem", click: () => choose(node, name, probability) },
      name, element("span", { class: "muted" }, `${(100 * probability).toFixed(0)} %`))));
  }
  document.body.append(menu);
  const { left, bottom } = node.getBoundingClientRect();
  const right = document.documentElement.clientWidth - menu.offsetWidth - 4;
  menu.style.left = `${Math.max(4, Math.min(left, right)) + scrollX}px`;
  menu.style.top = `${bottom + 4 + scrollY}px`;
  menu.querySelector("button")?.focus();
}

document.addEventListener("keydown", (event) => {
  const list = event.target.closest?.("#menu") ? find("menu").querySelectorAll("button")
    : event.target.classList?.contains("word") ? output.querySelectorAll(".word") : null;
  if (event.key === "Escape") return closeMenu(true);
  if (!list) return undefined;
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    list[([...list].indexOf(event.target) + step + list.length) % list.length].focus();
  } else if ((event.key === "Enter" || event.key === " ") && event.target.place) {
    event.preventDefault();
    openMenu(event.target);
  }
  return undefined;
});
document.addEventListener("pointerdown", (event) => { if (!event.target.closest("#menu")) closeMenu(); });
output.addEventListener("click", (event) => { if (event.target.place) openMenu(event.target); });
output.addEventListener("pointerover", (event) => point(event.target.place));
output.addEventListener("pointerleave", () => point(null));
output.addEventListener("focusin", (event) => {
  if (!event.target.place) return;
  output.querySelectorAll(".word[tabindex='0']").forEach((word) => { word.tabIndex = -1; });
  event.target.tabIndex = 0;
  point(event.target.place);
});

// Settings, and the commands that do the same.

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function showCommands() {
  const options = Object.entries(settings()).map(([name, value]) => ` --${name.replaceAll("_", "-")} ${value}`).join("");
  const request = JSON.stringify({ model: model().name, text: input.value, ...settings() });
  find("commands").textContent = `echo ${quoted(input.value)} | nmt translate -m ${model().name}.safetensors --split sentences${options}\n`
    + `curl ${location.origin}/v1/translate -H 'Content-Type: application/json' -d ${quoted(request)}`;
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(translate, typingPause);
}

input.addEventListener("input", () => { pending.abort(); point(null); soon(); });
input.addEventListener("scroll", () => { find("backdrop").scrollTop = input.scrollTop; });
input.addEventListener("drop", async (event) => {
  const file = event.dataTransfer.files[0];
  if (!file) return;
  event.preventDefault();
  input.value = await file.text();
  soon();
});
sourceSelect.addEventListener("change", () => { fillTargets(targetSelect.value); translate(); });
targetSelect.addEventListener("change", () => { fillTargets(targetSelect.value); translate(); });
for (const id of ["beam", "penalty", "key"]) find(id)?.addEventListener("input", soon);
find("swap").addEventListener("click", () => {
  const [from, to, text] = [targetSelect.value, sourceSelect.value, output.textContent];
  sourceSelect.value = from;
  fillTargets(to);
  input.value = text;
  translate();
});
find("clear").addEventListener("click", () => { input.value = ""; translate(); input.focus(); });
find("copy").addEventListener("click", () => navigator.clipboard.writeText(output.textContent)
  .then(() => say("Copied."), () => say("The browser does not let this page copy.", true)));

fill(sourceSelect, models.map(({ from }) => from), models[0].from);
fillTargets(models[0].to);
translate();
