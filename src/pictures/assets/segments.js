// The page of nmt bleu: segments in a chosen order, with their scores and errors.

const shownAtOnce = 100;
const severities = ["minor", "major", "critical"];
const view = { order: "line", severity: "", search: "", shown: shownAtOnce };

const errorsOf = (segment) => segment.translations.flatMap(({ errors }) => errors);
const hasErrors = data.segments.some((segment) => errorsOf(segment).length > 0);
const hasSources = data.segments.some(({ source }) => source !== "");

data.segments.forEach((segment, index) => { segment.line = index + 1; });

// Divides a text into parts with and without an error. Errors are places in code points, in order.
function partsOf(text, errors) {
  const letters = Array.from(text), parts = [];
  let at = 0;
  for (const error of errors) {
    const begin = Math.max(at, error.begin), end = Math.min(letters.length, error.end);
    if (begin >= end) continue;
    parts.push({ text: letters.slice(at, begin).join("") }, { text: letters.slice(begin, end).join(""), error });
    at = end;
  }
  parts.push({ text: letters.slice(at).join("") });
  return parts.filter((part) => part.text !== "");
}

// Marks an error. Screen readers hear its severity.
function marked(text, { severity, confidence }) {
  const tip = `${severity} error, confidence ${confidence}`;
  return element("mark", { class: severity, title: tip, "aria-label": `${tip}: ${text}` }, text);
}

// Whether a score is the best one, and another one is not. Scores are numbers that more text may follow.
function isBest(scores, system, metric) {
  const better = data.metrics[metric].less_is_better ? -1 : 1;
  const values = scores.map((row) => better * Number.parseFloat(row[metric])), best = Math.max(...values);
  return values[system] === best && values.some((value) => value < best);
}

function scoreCells(scores, system) {
  return data.metrics.map((_, metric) =>
    element("td", { class: isBest(scores, system, metric) ? "number best" : "number" }, scores[system][metric]));
}

function headOf(first) {
  return element("tr", {}, ...first.map((name) => element("th", { scope: "col" }, name)),
    ...data.metrics.map(({ name }) => element("th", { scope: "col", class: "number" }, name)));
}

function systemTable() {
  return element("table", {}, headOf(["system"]),
    ...data.systems.map((name, system) => element("tr", {}, element("th", { scope: "row" }, name), ...scoreCells(data.scores, system))));
}

function textRow(name, text) {
  return element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "text", colspan: 1 + data.metrics.length }, text));
}

function segmentSection(segment) {
  const scores = segment.translations.map((translation) => translation.scores);
  const references = segment.references.map((text, i) => textRow(segment.references.length > 1 ? `reference ${i + 1}` : "reference", text));
  return element("section", { class: "segment", "aria-label": `segment ${segment.line}` },
    element("h2", {}, `segment ${segment.line}`),
    element("table", {},
      ...(hasSources ? [textRow("source", segment.source)] : []), ...references, headOf(["system", "translation"]),
      ...segment.translations.map(({ text, errors }, system) => element("tr", {},
        element("th", { scope: "row", title: data.systems[system] }, data.systems[system]),
        element("td", { class: "text" }, ...partsOf(text, errors).map((part) => (part.error ? marked(part.text, part.error) : part.text))),
        ...scoreCells(scores, system)))));
}

// Returns the values by which an order sorts; smaller ones come first.
function keyOf(order) {
  const [kind, number, system] = order.split(" "), metric = Number(number);
  const values = (segment) => segment.translations.map(({ scores }) => Number(scores[metric]));
  if (kind === "worst") {
    return data.metrics[metric].less_is_better ? (segment) => -Math.max(...values(segment)) : (segment) => Math.min(...values(segment));
  }
  if (kind === "difference") return (segment) => Math.min(...values(segment)) - Math.max(...values(segment));
  if (kind === "behind") {
    const better = data.metrics[metric].less_is_better ? -1 : 1;
    return (segment) => better * (values(segment)[Number(system)] - values(segment)[0]);
  }
  if (kind === "errors") return (segment) => -errorsOf(segment).length;
  return (segment) => segment.line;
}

function orders() {
  const options = [["line", "of the text"]];
  data.metrics.forEach(({ name }, metric) => {
    options.push([`worst ${metric}`, `worst ${name} first`]);
    if (data.systems.length > 1) options.push([`difference ${metric}`, `largest difference in ${name} first`]);
    data.systems.slice(1).forEach((system, i) => {
      options.push([`behind ${metric} ${i + 1}`, `${system} furthest behind ${data.systems[0]} in ${name} first`]);
    });
  });
  if (hasErrors) options.push(["errors", "most errors first"]);
  return options;
}

function isWanted(segment) {
  const errors = errorsOf(segment);
  if (view.severity === "any" && errors.length === 0) return false;
  if (severities.includes(view.severity) && !errors.some(({ severity }) => severity === view.severity)) return false;
  const wanted = view.search.trim().toLowerCase();
  const texts = [segment.source, ...segment.references, ...segment.translations.map(({ text }) => text)];
  return wanted === "" || wanted === String(segment.line) || texts.some((text) => text.toLowerCase().includes(wanted));
}

function show() {
  const key = keyOf(view.order);
  const wanted = data.segments.filter(isWanted).map((segment) => ({ segment, key: key(segment) }));
  wanted.sort((a, b) => a.key - b.key || a.segment.line - b.segment.line);
  document.getElementById("segments").replaceChildren(...wanted.slice(0, view.shown).map(({ segment }) => segmentSection(segment)));
  document.getElementById("found").textContent = wanted.length === 1 ? "1 segment" : `${wanted.length} segments`;
  document.getElementById("more").hidden = wanted.length <= view.shown;
}

// Fills a control, which changes a part of the view.
function connect(id, name, event, options = []) {
  const control = document.getElementById(id);
  control.append(...options.map(([value, text]) => element("option", { value }, text)));
  control.addEventListener(event, () => {
    view[name] = control.value;
    view.shown = shownAtOnce;
    show();
  });
}

document.getElementById("systems").append(systemTable());
document.getElementById("notes").append(...data.notes.map((note) => element("p", {}, note)));
connect("order", "order", "change", orders());
connect("search", "search", "input");
connect("severity", "severity", "change", [["", "all segments"], ["any", "with an error"], ...severities.map((name) => [name, `with a ${name} error`])]);
document.getElementById("severities").hidden = !hasErrors;
document.getElementById("legend").hidden = !hasErrors;
document.getElementById("legend").append(...severities.map((name) => element("mark", { class: name }, name)));
document.getElementById("more").addEventListener("click", () => {
  view.shown += shownAtOnce;
  show();
});
show();
