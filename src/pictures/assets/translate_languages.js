// Languages of texts, and the models for them. A model without known languages counts as its own source.

const detecting = "auto"; // in the place of a source language
const detectedFrom = 2000; // characters of a text
const models = data.models.map((model) => ({ ...model, from: model.source ?? model.name, to: model.target ?? "" }));
const names = new Map(data.languages.map(({ code, name }) => [code, name]));
const labelOf = (code) => names.get(code) ?? (code || "translation");
const canDetect = new Set(models.map(({ source }) => source).filter(Boolean)).size > 1;
const detections = new Map(); // codes by text and target
let detected = ""; // the code of the text, once it is known

const sourceCode = () => (sourceSelect.value === detecting ? detected : sourceSelect.value);
const model = () => models.find(({ from, to }) => from === sourceCode() && to === targetSelect.value);
const unique = (codes) => [...new Set(codes)];

// Returns a code for HTML and Intl: "pt-BR" for "pt_BR"; empty if it is not a language.
function tagOf(code) {
  try {
    return Intl.getCanonicalLocales((code ?? "").replaceAll("_", "-"))[0] ?? "";
  } catch {
    return "";
  }
}

function fill(select, codes, chosen, label = labelOf) {
  select.replaceChildren(...codes.map((code) => element("option", { value: code, selected: code === chosen }, label(code))));
}
function fillSources(chosen) {
  fill(sourceSelect, [...(canDetect ? [detecting] : []), ...unique(models.map(({ from }) => from))], chosen,
    (code) => (code === detecting ? "Detect language" : labelOf(code)));
}
function fillTargets(chosen) {
  const isAny = sourceSelect.value === detecting;
  fill(targetSelect, unique(models.filter(({ from, source }) => (isAny ? source : from === sourceSelect.value)).map(({ to }) => to)), chosen);
  showLanguages();
}

function chooseLanguages(source, target) {
  sourceSelect.value = source;
  fillTargets(target);
}

// Shows the languages: of the texts and glossaries, the option to detect them, and the button that swaps them.
function showLanguages() {
  const [source, target] = [sourceCode(), targetSelect.value];
  const tag = tagOf(names.has(source) ? source : "");
  input.lang = tag;
  find("backdrop").lang = tag;
  output.lang = tagOf(target);
  const option = sourceSelect.querySelector(`[value="${detecting}"]`);
  if (option && canDetect) option.textContent = detected && sourceSelect.value === detecting ? `${labelOf(detected)} (detected)` : "Detect language";
  showGlossaries();
  find("swap").disabled = !models.some(({ from, to }) => from === target && to === source);
}

// Detects the language of a text on request, among the target and the languages translated into it.
async function detectLanguage(text, signal) {
  if (sourceSelect.value !== detecting) return;
  const target = targetSelect.value, key = `${target} ${text.slice(0, detectedFrom)}`;
  if (text.trim() && !detections.has(key)) {
    const possible = unique([...models.filter(({ to }) => to === target).map(({ from }) => from), target]);
    const found = await post("detect", { q: text.slice(0, detectedFrom) }, signal).then((answer) => answer.json());
    detections.set(key, found.map(({ language }) => language).find((code) => possible.includes(code)) ?? possible[0]);
  }
  detected = text.trim() ? detections.get(key) : "";
  showLanguages();
}
