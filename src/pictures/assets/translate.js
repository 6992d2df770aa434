// Translation of text, sentence by sentence, a moment after typing stops. Sentences that were translated before are not
// requested again.

const typingPause = 300; // milliseconds
const improbable = 0.3; // words below it are dotted
const fewestCompared = 10; // sentences; the lowest tenth of their estimates have a flag
const known = new Map(); // translations by model, settings and sentence
let parts = []; // the sentences that are shown: where they are in the text, and their translations
let pending = new AbortController(), timer = 0, frame = 0;

// The settings of a request.

const settings = () => ({
  ...(find("beam").value && { beam: Number(find("beam").value) }),
  ...(find("penalty").value && { length_penalty: Number(find("penalty").value) }),
});
const told = { split: false, alignment: true, token_scores: true, ...(data.quality && { quality: true }) };
const keyOf = (sentence) => JSON.stringify([model().name, settings(), glossaryKey(), sentence]);

// Returns the sentences of a text and their positions; everything between them is kept.
function sentencesOf(text) {
  const pieces = window.Intl?.Segmenter
    ? new Intl.Segmenter(tagOf(model().source) || "en", { granularity: "sentence" }).segment(text)
    : [...text.matchAll(/[^\n]+/g)].map((line) => ({ segment: line[0], index: line.index }));
  const sentences = [];
  for (const { segment, index } of pieces) {
    const start = index + segment.length - segment.trimStart().length;
    if (segment.trim()) sentences.push({ source: segment.trim(), start, end: start + segment.trim().length });
  }
  return sentences;
}

// Requests the translations of new sentences, and shows the available ones.
async function translateSentences(text, sentences, signal) {
  const missing = [...new Set(sentences.map(({ source }) => source).filter((source) => !known.has(keyOf(source))))];
  if (missing.length === 0) return;
  output.setAttribute("aria-busy", "true");
  output.classList.add("stale");
  const asked = missing.map(keyOf);
  const growing = new Map(); // sentences that are not done, and how far they are
  const results = await ask({ ...settings(), ...told, ...glossaryOfRequest(model()), model: model().name, text: missing }, signal, (event, result) => {
    if (event === "sentence") known.set(asked[result.index], result);
    else growing.set(missing[result.index], result);
    const done = sentences.filter(({ source }) => known.has(keyOf(source))).length;
    if (sentences.length > 1) say(`${counted(done)} of ${counted(sentences.length)} sentences`);
    showSoon(text, sentences, growing);
  });
  results.forEach((result, i) => known.set(asked[i], result));
}

// Shows a text without a translation, and the reason.
function showInstead(text, reason, isError) {
  parts = [];
  output.classList.remove("stale");
  output.replaceChildren(text);
  say(reason, isError);
}

async function translate() {
  pending.abort();
  pending = new AbortController();
  const { signal } = pending;
  const text = input.value, characters = [...text].length, most = data.most_characters;
  closeMenu();
  keepTexts();
  find("count").textContent = `${counted(characters)} of ${counted(most)} characters`;
  if (characters > most) return showInstead("", `The text has ${counted(characters)} characters, but this server takes at most ${counted(most)}.`, true);
  if (lacksKey()) return askForKey();
  try {
    await detectLanguage(text, signal);
    showCommands();
    if (!model()) return showInstead(text, text && `This text is in ${labelOf(targetSelect.value)} already.`);
    const sentences = sentencesOf(text);
    await translateSentences(text, sentences, signal);
    show(text, sentences);
    say(termsMessage());
    if (parts.every(({ result }) => !result.error))
      remember({ source: sourceCode(), target: targetSelect.value, text, translation: output.textContent });
  } catch (error) {
    tell(error);
  } finally {
    if (!signal.aborted) {
      cancelAnimationFrame(frame);
      output.removeAttribute("aria-busy");
    }
  }
  return undefined;
}

// Shows the translation: words that react to the pointer and to arrow keys.

function wordsOf(part) {
  const { words = [], text, error, isGrowing, terms = [] } = part.result;
  if (isGrowing) return [element("span", { class: "muted" }, text)];
  if (error) return [element("span", { class: "muted", title: error }, part.source)];
  if (words.join(" ") !== text) return [text];
  const ofTerms = termWords(words, terms);
  return words.flatMap((word, i) => {
    const probability = Math.exp(part.result.word_log_probabilities[i]);
    const node = element("span", {
      class: `word${probability < improbable ? " improbable" : ""}${ofTerms.has(i) ? " term" : ""}`,
      role: "button", tabindex: -1, "aria-haspopup": "dialog",
      title: `${ofTerms.has(i) ? "term of the glossary; " : ""}probability ${(100 * probability).toFixed(0)} %; click for others`,
    }, word);
    node.place = { part, word: i };
    return i > 0 ? [" ", node] : [node];
  });
}

// Returns the highest estimate that has a flag. Models have different scales, so estimates are compared with each other:
// with those of all sentences that were translated on this page.
function lowQuality() {
  const all = [...known.values()].map(({ quality }) => quality).filter((quality) => quality !== undefined);
  return all.length < fewestCompared ? -Infinity : all.sort((a, b) => a - b)[Math.floor(all.length / 10) - 1];
}

// Returns the words of a sentence, with its quality if that was estimated. The figure is not part of the text.
function judged(part, low) {
  const { quality } = part.result, words = wordsOf(part);
  if (quality === undefined) return words;
  const figure = quality.toFixed(2), name = `estimated quality ${figure}`;
  const isLow = quality <= low;
  return [element("span", {
    class: isLow ? "judged low" : "judged", role: "group", title: name, "aria-label": isLow ? `${name}, low` : name, "data-quality": figure,
  }, ...words)];
}

function showSoon(...what) {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(() => show(...what));
}

function show(text, sentences, growing = new Map()) {
  parts = sentences.map((sentence) => {
    const result = known.get(keyOf(sentence.source)) ?? { text: "", ...growing.get(sentence.source), isGrowing: true };
    return { ...sentence, result };
  });
  const nodes = [], low = lowQuality();
  let end = 0;
  for (const part of parts) {
    nodes.push(text.slice(end, part.start), ...judged(part, low));
    if (text.slice(part.end, part.end + 1) && !/\s/.test(text[part.end])) nodes.push(" ");
    end = part.end;
  }
  output.classList.remove("stale");
  output.replaceChildren(...nodes, text.slice(end));
  const first = output.querySelector(".word");
  if (first) first.tabIndex = 0;
  point(null);
}

// Shades the source words that the model attended to for a word.
function point(place) {
  const backdrop = find("backdrop");
  backdrop.replaceChildren();
  find("legend").hidden = !place;
  if (!place || place.part.end > input.value.length) return;
  const { part, word } = place;
  const looked = new Set((part.result.alignment ?? []).filter(([, target]) => target === word).map(([source]) => source));
  let end = 0;
  [...part.source.matchAll(/[^ \t\n\v\f\r]+/g)].forEach((found, i) => {
    if (!looked.has(i)) return;
    const start = part.start + found.index;
    backdrop.append(input.value.slice(end, start), element("mark", {}, found[0]));
    end = start + found[0].length;
  });
  backdrop.append(input.value.slice(end), "\n");
  backdrop.scrollTop = input.scrollTop;
}

// Keys move between words, and between entries of the menu.

document.addEventListener("keydown", (event) => {
  const list = event.target.closest?.("#menu") ? find("menu").querySelectorAll("button, input")
    : event.target.classList?.contains("word") ? output.querySelectorAll(".word") : null;
  if (event.key === "Escape") return closeMenu(true);
  if (!list) return undefined;
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const isCaret = event.target.matches("input") && /Left|Right/.test(event.key);
  if (step && !isCaret) {
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
output.addEventListener("focusout", () => point(null));
output.addEventListener("focusin", (event) => {
  if (!event.target.place) return;
  output.querySelectorAll(".word[tabindex='0']").forEach((word) => { word.tabIndex = -1; });
  event.target.tabIndex = 0;
  point(event.target.place);
});

// Shows settings, and the commands with the same effect.

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function showCommands() {
  if (!model()) return find("commands").replaceChildren();
  const glossary = glossaryFor(model());
  const options = Object.entries(settings()).map(([name, value]) => ` --${name.replaceAll("_", "-")} ${value}`).join("")
    + (glossary ? ` --glossary ${quoted(fileOfTerms(glossary.name, dictionaryFor(glossary, model())))}` : "");
  const request = JSON.stringify({ model: model().name, text: input.value, ...settings(), ...glossaryOfRequest(model()) });
  find("commands").textContent = `echo ${quoted(input.value)} | nmt translate -m ${model().name}.safetensors --split sentences${options}\n`
    + `curl ${location.origin}/v1/translate -H 'Content-Type: application/json' -d ${quoted(request)}`;
  return undefined;
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(translate, typingPause);
}

input.addEventListener("input", () => { pending.abort(); point(null); soon(); });
input.addEventListener("scroll", () => { find("backdrop").scrollTop = input.scrollTop; });
sourceSelect.addEventListener("change", () => { fillTargets(targetSelect.value); translate(); });
targetSelect.addEventListener("change", () => { showLanguages(); translate(); });
for (const id of ["beam", "penalty", "key"]) find(id)?.addEventListener("input", soon);
find("key")?.addEventListener("change", start);
find("swap").addEventListener("click", () => {
  const [from, to, text] = [targetSelect.value, sourceCode(), output.textContent];
  chooseLanguages(from, to);
  input.value = text;
  translate();
});
find("clear").addEventListener("click", () => { input.value = ""; translate(); input.focus(); });
find("copy").addEventListener("click", () => navigator.clipboard.writeText(output.textContent)
  .then(() => say("Copied."), () => say("The browser does not let this page copy.", true)));
addEventListener("pagehide", keepTexts);
scrollTogether(input, output);

// Loads what the server keeps for the reader, once there is a key.
function start() {
  resumeDocuments();
  loadGlossaries().then(translate, tell);
}

const before = keptTexts();
chosenGlossary = before.glossary ?? "";
fillSources(before.source ?? models[0].from);
fillTargets(before.target ?? models[0].to);
for (const id of ["text", "beam", "penalty"]) find(id).value = before[id] ?? "";
start();
if (lacksKey()) {
  askForKey();
  find("key").focus();
}
