// The page of attention. The reader chooses a pair of sentences and a kind of attention. The page then shows
// all layers and heads next to each other. The one that the reader chooses appears as words and as a large
// map.

function byId(id) { return document.getElementById(id); }

function headName(head) { return head === mean ? "mean of heads" : `head ${head}`; }

// Rows of buttons, one of which is pressed.
function buttons(id, label, values, present, name, choose) {
  byId(id).replaceChildren(element("span", {}, label), ...values.map((value) => element("button", {
    type: "button",
    "aria-pressed": String(value === present),
    "data-value": value,
    click: () => {
      choose(value);
      show();
      byId(id).querySelector(`[data-value="${value}"]`).focus();
    },
  }, name(value))));
}

// Limits the chosen layer and head to existing ones.
function settle(layers) {
  if (!layers.has(choice.layer)) choice.layer = [...layers.keys()].at(-1);
  const heads = layers.get(choice.layer);
  if (!heads.has(choice.head)) choice.head = heads.keys().next().value;
}

function chooseHead(layer, head) {
  Object.assign(choice, { layer, head });
  show();
  byId("heads").querySelector(`[data-layer="${layer}"][data-head="${head}"]`).focus();
}

// Builds a row per layer and a column per head. Tab reaches one of the buttons, arrow keys the others.
function showHeads(layers, rows, columns) {
  const heads = [...new Set([...layers.values()].flatMap((line) => [...line.keys()]))];
  const numbers = [...layers.keys()];
  const cells = numbers.flatMap((layer) => [element("span", { class: "muted" }, `layer ${layer}`),
    ...heads.map((head) => element("button", {
      type: "button", "data-layer": layer, "data-head": head,
      "aria-label": `layer ${layer}, ${headName(head)}`, title: `layer ${layer}, ${headName(head)}`,
      "aria-pressed": String(layer === choice.layer && head === choice.head),
      tabindex: layer === choice.layer && head === choice.head ? 0 : -1,
      click: () => chooseHead(layer, head),
      keydown: (event) => {
        const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
        const [down, right] = steps[event.key] ?? [0, 0];
        const to = numbers[numbers.indexOf(layer) + down], beside = heads[heads.indexOf(head) + right];
        if (!(event.key in steps) || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        if (to !== undefined && beside !== undefined) chooseHead(to, beside);
      },
    }, canvasOf(layers.get(layer).get(head), rows.names.length, columns.names.length)))]);
  byId("heads").style.setProperty("--heads", heads.length);
  byId("heads").replaceChildren(element("span"),
    ...heads.map((head) => element("span", { class: "muted" }, head === mean ? "mean" : `head ${head}`)), ...cells);
}

function show() {
  const present = Object.keys(kinds).filter((kind) => mapsOf(kind).length > 0);
  if (!present.includes(choice.kind)) choice.kind = present.at(-1);
  const rows = rowSide(), columns = columnSide(), layers = weightsByLayer(rows, columns);
  settle(layers);
  const weights = layers.get(choice.layer).get(choice.head), pair = chosenPair();
  document.title = `${shortened(pair.source_text, 80)} – Attention of ${data.model}`;
  buttons("kind", "attention", present, choice.kind, (kind) => kinds[kind][0], (kind) => { choice.kind = kind; });
  buttons("unit", "tokens", ["pieces", "words"], choice.unit, String, (unit) => { choice.unit = unit; });
  buttons("shade", "shades", ["0 to 1", "by row"], choice.byRow ? "by row" : "0 to 1", String,
    (shade) => { choice.byRow = shade === "by row"; });
  showHeads(layers, rows, columns);
  byId("caption").textContent = `Line ${pair.line}, ${kinds[choice.kind][0].toLowerCase()}, layer ${choice.layer}, ` +
    headName(choice.head);
  const legend = kinds[choice.kind][1];
  byId("legend").textContent = choice.unit === "pieces" ? legend : legend.replaceAll("piece", "word");
  showMap(weights, rows, columns, showWords(weights, rows, columns));
  showScale();
}

byId("pair").append(...data.pairs.map((pair, i) =>
  element("option", { value: i }, `${pair.line}: ${shortened(pair.source_text, 100)}`)));
byId("pair").addEventListener("change", (event) => {
  choice.pair = Number(event.target.value);
  show();
});
let width = window.innerWidth;
window.addEventListener("resize", () => {
  if (width !== window.innerWidth) show(); // a telephone that hides its bars changes the height alone
  width = window.innerWidth;
});
show();
