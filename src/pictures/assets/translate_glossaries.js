// Glossaries: those that the server stores, or else those that this browser keeps and sends with each request. Both are
// {id, name, dictionaries: [{source, target, terms}]}. A dictionary without languages is for all pairs that have none of
// their own, and a list of stored glossaries has `term_count` instead of `terms`.

const glossaryPath = (id) => `v1/glossaries/${encodeURIComponent(id)}`;
const storedGlossaries = {
  isOnServer: true,
  list: async () => (await (await send("GET", "v1/glossaries")).json()).glossaries,
  read: async (id) => (await send("GET", glossaryPath(id))).json(),
  save: async ({ id, name, dictionaries }) =>
    (await send(id ? "PUT" : "POST", id ? glossaryPath(id) : "v1/glossaries", { body: { name, dictionaries } })).json(),
  remove: (id) => send("DELETE", glossaryPath(id)),
};

const keptGlossariesAs = "nmt-glossaries";
const keptGlossaries = {
  isOnServer: false,
  list: async () => kept("localStorage", keptGlossariesAs, []),
  read: async (id) => (await keptGlossaries.list()).find((each) => each.id === id),
  async save(glossary) {
    for (const { source, target, terms } of glossary.dictionaries) { // a request without text checks the terms
      const pair = models.find((each) => each.source === source && each.target === target) ?? models[0];
      await post("v1/translate", { model: pair.name, text: "", glossary: terms });
    }
    const saved = { ...glossary, id: glossary.id ?? String(Date.now()) };
    keptGlossaries.replace([...(await keptGlossaries.list()).filter(({ id }) => id !== saved.id), saved]);
    return saved;
  },
  remove: async (id) => keptGlossaries.replace((await keptGlossaries.list()).filter((each) => each.id !== id)),
  replace(glossaries) {
    if (!keep("localStorage", keptGlossariesAs, glossaries))
      throw new Error("The browser has no room for the glossary, or does not let this page keep it.");
  },
};

const glossaryStore = data.glossaries ? storedGlossaries : keptGlossaries;
let glossaries = []; // without terms, if they are on the server
let chosenGlossary = ""; // the id of the one that translations use
let glossaryChanges = 0; // translations by earlier terms are not shown again

const isFor = (dictionary, { source, target }) => source !== undefined && dictionary.source === source && dictionary.target === target;

// Returns the dictionary of a glossary for the languages of a model.
const dictionaryFor = ({ dictionaries }, pair) =>
  dictionaries.find((each) => isFor(each, pair)) ?? dictionaries.find((each) => !each.source);

// Returns the glossary that is chosen, if it has terms for the languages of a model; without a model, for all languages.
function glossaryFor(pair) {
  const glossary = glossaries.find(({ id }) => id === chosenGlossary);
  return glossary && dictionaryFor(glossary, pair ?? {}) ? glossary : null;
}

// Returns the part of a request to a model that names the glossary, or has its terms.
function glossaryOfRequest(pair) {
  const glossary = glossaryFor(pair);
  if (!glossary) return {};
  return { glossary: glossaryStore.isOnServer ? glossary.id : dictionaryFor(glossary, pair ?? {}).terms };
}

// Returns what distinguishes translations by the glossary from others.
const glossaryKey = () => (glossaryFor(model()) ? `${chosenGlossary} ${glossaryChanges}` : "");

function showGlossaries() {
  const label = (glossary) => (!model() || dictionaryFor(glossary, model()) ? glossary.name : `${glossary.name} (other languages)`);
  find("glossary").replaceChildren(element("option", { value: "" }, "None"),
    ...glossaries.map((each) => element("option", { value: each.id, selected: each.id === chosenGlossary }, label(each))));
}

async function loadGlossaries() {
  if (lacksKey()) return;
  glossaries = await glossaryStore.list();
  if (!glossaries.some(({ id }) => id === chosenGlossary)) chosenGlossary = "";
  showGlossaries();
}

function chooseGlossary(id) {
  chosenGlossary = id;
  showGlossaries();
  return translate();
}

// Returns the numbers of the words of a translation that are the required translations of terms.
function termWords(words, terms) {
  const text = words.join(" "), found = new Set();
  for (const target of terms.filter(({ met }) => met).flatMap(({ targets }) => targets)) {
    const exact = target.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const whole = [...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${exact}(?![\\p{L}\\p{N}])`, "giu"))];
    const matches = whole.length > 0 ? whole : [...text.matchAll(new RegExp(exact, "giu"))]; // no spaces between words
    for (const { index } of matches) {
      let end = -1;
      words.forEach((word, i) => {
        const begin = end + 1;
        end = begin + word.length;
        if (begin < index + target.length && end > index) found.add(i);
      });
    }
  }
  return found;
}

// Returns a message about the terms in the text and in its translation; empty if the text has none.
function termsMessage() {
  const terms = parts.flatMap(({ result }) => result.terms ?? []);
  const missing = unique(terms.filter(({ met }) => !met).map(({ source }) => source));
  if (terms.length === 0) return "";
  return `Terms: ${terms.filter(({ met }) => met).length} of ${terms.length} in the translation, underlined`
    + (missing.length > 0 ? `; missing: ${missing.join(", ")}.` : ".");
}
