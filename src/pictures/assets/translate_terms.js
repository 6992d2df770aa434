// The dialog in which glossaries are edited. What is edited stays until it is saved, even if the dialog is closed.

const mostShownTerms = 200; // rows of the table; others are found by the search field
const tellOfTerms = reporter("glossary_status");
let edited = { name: "", dictionaries: [] }; // `terms` are objects, as termOf() returns them
let editedPair = 0; // the number of the dictionary that the table shows, in pairsOfTerms()
let isUnsaved = false;

// A term in the window: {source, targets, case, prefix}. "|" is between alternatives in fields and files.
const flagNames = ["case", "prefix"];
const flagsIn = (text) => text.split(",").map((flag) => flag.trim()).filter(Boolean);
const targetsIn = (text) => text.split("|").map((target) => target.trim()).filter(Boolean);
const targetText = ({ targets }) => targets.join("|");
const termOf = ([source, targets, flags = ""]) =>
  ({ source, targets: [targets ?? []].flat(), ...Object.fromEntries(flagNames.map((flag) => [flag, flagsIn(flags).includes(flag)])) });
const flagsOf = (term) => flagNames.filter((flag) => term[flag]).join(",");
const fieldsOf = (term) => [term.source, term.targets, ...(flagsOf(term) ? [flagsOf(term)] : [])];

// Returns the pairs of languages for which a glossary may have terms: all languages, those of the models, and its own.
function pairsOfTerms() {
  const pairs = [{}, ...models.filter(({ source }) => source).map(({ source, target }) => ({ source, target }))];
  return [...pairs, ...edited.dictionaries.filter((each) => each.source && !pairs.some((pair) => isFor(each, pair)))
    .map(({ source, target }) => ({ source, target }))];
}

// Returns the terms that the table shows.
function editedTerms() {
  const pair = pairsOfTerms()[editedPair] ?? {};
  let dictionary = edited.dictionaries.find((each) => (pair.source ? isFor(each, pair) : !each.source));
  if (!dictionary) {
    dictionary = { ...pair, terms: [] };
    edited.dictionaries.push(dictionary);
  }
  return dictionary.terms;
}

function markUnsaved(is = true) {
  isUnsaved = is;
  find("save_glossary").disabled = !is;
  find("open_glossaries").textContent = is ? "Glossaries (not saved)…" : "Glossaries…";
}

const mayDiscard = () => !isUnsaved || confirm(`Discard the changes of the glossary “${edited.name || "New glossary"}”?`);

// Puts a glossary into the dialog; without an id, a new one.
async function edit(id) {
  const glossary = id ? await glossaryStore.read(id) : { name: "", dictionaries: [] };
  edited = { ...glossary, dictionaries: glossary.dictionaries.map((each) => ({ ...each, terms: each.terms.map(termOf) })) };
  const pairs = pairsOfTerms();
  const now = model() && dictionaryFor(glossary, model());
  editedPair = Math.max(0, pairs.findIndex(({ source, target }) => source === now?.source && target === now?.target));
  markUnsaved(false);
  showGlossary();
}

function showGlossary() {
  find("edited_glossary").replaceChildren(element("option", { value: "" }, "New glossary"),
    ...glossaries.map(({ id, name }) => element("option", { value: id, selected: id === edited.id }, name)));
  find("glossary_name").value = edited.name;
  find("delete_glossary").disabled = !edited.id;
  showPairs();
  showTerms();
}

function showPairs() {
  find("dictionary").replaceChildren(...pairsOfTerms().map(({ source, target }, i) =>
    element("option", { value: i, selected: i === editedPair }, source ? `${labelOf(source)} → ${labelOf(target)}` : "All languages")));
}

function showTerms() {
  const wanted = find("find_term").value.toLowerCase();
  const found = editedTerms().filter((term) => `${term.source}\n${targetText(term)}`.toLowerCase().includes(wanted));
  find("terms").replaceChildren(...found.slice(0, mostShownTerms).map(rowOf));
  find("terms_count").textContent = found.length > mostShownTerms
    ? `the first ${counted(mostShownTerms)} of ${counted(found.length)} terms`
    : `${counted(found.length)} ${found.length === 1 ? "term" : "terms"}`;
}

function rowOf(term, i) {
  const text = (label, value, change) => element("input", { "aria-label": label, placeholder: label, value, autocomplete: "off",
    dir: "auto", input: ({ target }) => { change(target.value); markUnsaved(); } });
  const flag = (name, label) => element("label", {}, element("input", { type: "checkbox", checked: term[name],
    change: ({ target }) => { term[name] = target.checked; markUnsaved(); } }), ` ${label}`);
  const name = term.source || `term ${i + 1}`;
  return element("li", {}, text("term", term.source, (value) => { term.source = value; }),
    text("translation", targetText(term), (value) => { term.targets = targetsIn(value); }),
    flag("case", "same case"), flag("prefix", "with endings"),
    element("button", { "aria-label": `remove ${name}`, click: () => removeTerm(term, i) }, "✕"));
}

// Adds an empty term at the top of the table.
function addTerm() {
  find("find_term").value = "";
  editedTerms().unshift(termOf([""]));
  markUnsaved();
  showTerms();
  find("terms").querySelector("input").focus();
}

// `row`: where the focus was
function removeTerm(term, row) {
  editedTerms().splice(editedTerms().indexOf(term), 1);
  markUnsaved();
  showTerms();
  const buttons = find("terms").querySelectorAll("button");
  (buttons[Math.min(row, buttons.length - 1)] ?? find("add_term")).focus();
}

// Saves the glossary, without empty rows and empty dictionaries, and uses it.
async function saveGlossary() {
  const dictionaries = edited.dictionaries
    .map((each) => ({ ...each, terms: each.terms.filter(({ source, targets }) => source || targets.length > 0).map(fieldsOf) }))
    .filter(({ terms }) => terms.length > 0);
  if (dictionaries.length === 0) return tellOfTerms("The glossary has no terms; add one.", true);
  edited.name = edited.name.trim() || "Glossary";
  const { id } = await glossaryStore.save({ id: edited.id, name: edited.name, dictionaries });
  edited.id = id;
  markUnsaved(false);
  glossaryChanges++;
  await loadGlossaries();
  showGlossary();
  tellOfTerms(`Saved. Translations use “${edited.name}” now.`);
  return chooseGlossary(id);
}

async function deleteGlossary() {
  if (!confirm(`Delete the glossary “${edited.name}”?`)) return;
  await glossaryStore.remove(edited.id);
  const wasChosen = chosenGlossary === edited.id;
  await loadGlossaries();
  await edit("");
  tellOfTerms("Deleted.");
  find("edited_glossary").focus();
  if (wasChosen) await translate();
}

// Terms in files are as in those of `nmt translate --glossary`: a term, its translation, and flags, with tabs between them.

const tsvOf = (terms) => terms.filter(({ source }) => source)
  .map((term) => [term.source, targetText(term), ...(flagsOf(term) ? [flagsOf(term)] : [])].join("\t") + "\n").join("");

function termsInTsv(text) {
  return text.replace(/^\ufeff/, "").split(/\r?\n/).map((line, i) => ({ fields: line.split("\t"), number: i + 1 }))
    .filter(({ fields }) => fields.some((field) => field.trim()))
    .map(({ fields, number }) => {
      if (fields.length < 2 || fields.length > 3)
        throw new Error(`Line ${number} is not a term: it needs a term, a tab and a translation. Nothing is imported.`);
      const [source, target, flags = ""] = fields, unknown = flagsIn(flags).find((flag) => !flagNames.includes(flag));
      if (unknown) throw new Error(`Line ${number} has the unknown flag “${unknown}”; flags are case and prefix. Nothing is imported.`);
      return termOf([source, targetsIn(target), flags]);
    });
}

// Adds the terms of a file. They replace terms with the same source and flags.
async function importTerms(file) {
  const imported = termsInTsv(await textOf(file)), terms = editedTerms();
  const key = (term) => `${term.source}\t${flagsOf(term)}`;
  const replaced = new Set(imported.map(key));
  terms.splice(0, terms.length, ...imported, ...terms.filter((term) => !replaced.has(key(term))));
  markUnsaved();
  showTerms();
  tellOfTerms(`Imported ${counted(imported.length)} terms; save them to use them.`);
}

// Returns the name of the file with the terms of a dictionary.
const fileOfTerms = (name, { source, target }) =>
  `${[name.replace(/[^\p{L}\p{N} ._-]+/gu, "_") || "glossary", source, target].filter(Boolean).join(".")}.tsv`;

function exportTerms() {
  saveFile(new Blob([tsvOf(editedTerms())], { type: "text/tab-separated-values" }), fileOfTerms(edited.name, pairsOfTerms()[editedPair]));
}

// Runs an action of the dialog, and shows its error there.
async function inGlossary(action) {
  tellOfTerms("");
  try {
    await action();
  } catch (error) {
    tellOfTerms(error.message, true);
  }
}

function openGlossaries() {
  if (lacksKey()) return askForKey();
  find("glossaries").showModal();
  return inGlossary(async () => {
    await loadGlossaries();
    if (!isUnsaved) await edit(chosenGlossary);
  });
}

find("open_glossaries").addEventListener("click", openGlossaries);
find("glossary").addEventListener("change", ({ target }) => chooseGlossary(target.value));
find("edited_glossary").addEventListener("change", ({ target }) => inGlossary(async () => {
  if (mayDiscard()) await edit(target.value);
  else showGlossary();
}));
find("glossary_name").addEventListener("input", ({ target }) => { edited.name = target.value; markUnsaved(); });
find("dictionary").addEventListener("change", ({ target }) => { editedPair = Number(target.value); showTerms(); });
find("find_term").addEventListener("input", showTerms);
find("add_term").addEventListener("click", addTerm);
find("save_glossary").addEventListener("click", () => inGlossary(saveGlossary));
find("delete_glossary").addEventListener("click", () => inGlossary(deleteGlossary));
find("import_terms").addEventListener("click", () => find("terms_file").click());
find("terms_file").addEventListener("change", ({ target }) => inGlossary(async () => {
  const [file] = target.files;
  if (file) await importTerms(file);
}).finally(() => { target.value = ""; })); // so that the same file can be chosen again
find("export_terms").addEventListener("click", exportTerms);
addEventListener("beforeunload", (event) => { if (isUnsaved) event.preventDefault(); });
