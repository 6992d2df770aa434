// Translations of validation lines: how some of them changed, and all others for searching.

const mostFound = 50;  // lines that are shown of those that a search finds

// Compares the words of two texts: words of both, words only in `now`, and words that it lacks.
function compared(before, now) {
  const longest = Array.from({ length: before.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = before.length - 1; i >= 0; --i) {
    for (let j = now.length - 1; j >= 0; --j) {
      longest[i][j] = before[i] === now[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const row = [];
  let i = 0, j = 0;
  while (i < before.length || j < now.length) {
    if (i < before.length && j < now.length && before[i] === now[j]) {
      row.push({ word: now[j++] });
      ++i;
    } else if (i < before.length && (j === now.length || longest[i + 1][j] >= longest[i][j + 1])) {
      row.push({ word: before[i++], isLacking: true });
    } else {
      row.push({ word: now[j++], isNew: true });
    }
  }
  return row;
}

// Shows a translation compared with another text: words missing there are marked, and on request words missing here are
// struck out.
function markedWords(other, text, withLacking) {
  if (other === undefined) return [text];
  return compared(other.split(" "), text.split(" ")).filter(({ isLacking }) => !isLacking || withLacking).flatMap(
    ({ word, isLacking, isNew }) => [isLacking ? element("del", {}, word) : isNew ? element("mark", {}, word) : word, " "]);
}

// Builds a row for each translation that differs from the previous one.
function translationRows(run, index, { texts, steps }, reference) {
  const rows = [];
  let before;
  for (let i = 0; i < texts.length;) {
    let end = i;
    while (end + 1 < texts.length && texts[end + 1] === texts[i]) ++end;
    const words = view.against === "reference" ? markedWords(reference, texts[i], true) : markedWords(before, texts[i], false);
    rows.push(element("tr", {},
      ...(data.runs.length > 1 ? [element("td", { class: "run" }, element("span", { class: "swatch", style: lineStyle(index) }), run.name)] : []),
      element("td", { class: "number nowrap" }, i === end ? whole(steps[i]) : `${whole(steps[i])} – ${whole(steps[end])}`),
      element("td", { class: "translation" }, ...words)));
    before = texts[i];
    i = end + 1;
  }
  return rows;
}

// Returns what the runs have for a line: all translations if it is followed, otherwise the last one.
function lineOf({ translations }, number) {
  const followed = translations.lines.find((line) => line.number === number);
  if (followed) return { ...followed, steps: translations.steps };
  const { numbers, sources, references, texts, step } = translations.searched;
  const at = numbers.indexOf(number);
  if (at < 0 || texts[at] === undefined) return undefined;
  return { number, source: sources[at], reference: references[at], texts: [texts[at]], steps: [step] };
}

function lineSection(number, isOpen, onToggle) {
  const lines = data.runs.map((run) => lineOf(run, number));
  const given = (name) => lines.find((line) => line?.[name] !== undefined)?.[name];
  const top = [["source", given("source")], ["reference", given("reference")]].filter(([, value]) => value !== undefined);
  const columns = data.runs.length > 1 ? 2 : 1;
  const section = element("details", { open: isOpen, toggle: () => onToggle(section.open) },
    element("summary", {}, `line ${number}: ${given("source") ?? ""}`),
    element("div", { class: "scroll" }, element("table", {},
      ...top.map(([name, value]) => element("tr", {}, element("th", { colspan: columns }, name), element("td", {}, value))),
      element("tr", {}, ...(columns > 1 ? [element("th", {}, "run")] : []), element("th", {}, "updates"), element("th", {}, "translation")),
      ...data.runs.flatMap((run, index) => (lines[index] ? translationRows(run, index, lines[index], given("reference")) : [])))));
  return section;
}

// Returns the numbers of the lines whose source, reference, translations or number match a text.
function found(text) {
  const wanted = text.trim().toLowerCase(), numbers = new Set();
  const has = (held) => held !== undefined && held.toLowerCase().includes(wanted);
  for (const { translations } of data.runs) {
    const { numbers: all, sources, references, texts } = translations.searched;
    all.forEach((number, i) => { if (String(number) === wanted || has(sources[i]) || has(references[i]) || has(texts[i])) numbers.add(number); });
    for (const line of translations.lines) {
      if (String(line.number) === wanted || has(line.source) || has(line.reference) || line.texts.some(has)) numbers.add(line.number);
    }
  }
  return [...numbers].sort((a, b) => a - b);
}

function countOfLines(count) {
  return `${whole(count)} ${count === 1 ? "line" : "lines"}`;
}

// Shows how many lines the page can find, and how many there are.
function searchHint() {
  const count = Math.max(...data.runs.map(({ translations }) => translations.searched.numbers.length));
  const all = Math.max(...data.runs.map(({ translations }) => translations.searched.of));
  return count < all ? `in ${whole(count)} of ${countOfLines(all)}` : `in ${countOfLines(all)}`;
}

function foundSections() {
  const numbers = found(view.search), few = numbers.slice(0, mostFound);
  const words = numbers.length > few.length ? `${countOfLines(numbers.length)}; the first ${few.length}:` : countOfLines(few.length);
  return [element("p", { class: "muted" }, `found ${words}`), ...few.map((number) => lineSection(number, true, () => {}))];
}

function followedSections() {
  const numbers = [...new Set(data.runs.flatMap((run) => run.translations.lines.map((line) => line.number)))].sort((a, b) => a - b);
  const open = view.open ?? new Set(numbers.slice(0, 1));
  return numbers.map((number) => lineSection(number, open.has(number), (isOpen) => {
    if (isOpen === open.has(number)) return;
    if (isOpen) open.add(number); else open.delete(number);
    view.open = open;
    keepView();
  }));
}

let shownTranslations;

function showTranslations() {
  const text = JSON.stringify([data.runs.map((run) => run.translations), view.search, view.against]);
  if (text === shownTranslations) return;  // what the reader has opened stays open
  shownTranslations = text;
  document.getElementById("searched").textContent = searchHint();
  document.getElementById("translations").replaceChildren(...(view.search.trim() ? foundSections() : followedSections()));
  document.getElementById("translated").hidden = data.runs.every(({ translations }) => translations.steps.length === 0);
}
