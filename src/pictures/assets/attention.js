// Heat maps of attention: a pair of sentences, a kind of attention and a layer are chosen; the heads of the layer stand
// side by side, and one of them, or their mean, is shown large.

const kinds = {
  encoder: ["Encoder", "Row: a piece of the source. Column: a piece of the source that it looks at."],
  decoder: ["Decoder", "Row: the piece that is written. Column: a piece read so far that is looked at."],
  cross: ["Decoder over source", "Row: the piece that is written. Column: a piece of the source that is looked at."],
};
const mean = 0; // stands for the mean of all heads; heads count from 1
const ink = [11, 68, 158];
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const digitOf = new Map([...digits].map((digit, value) => [digit, value]));

const choice = { pair: 0, kind: undefined, layer: undefined, head: mean, byRow: false };
let cell = { row: 0, column: 0 }; // under the mouse or moved by keys

function byId(id) { return document.getElementById(id); }

// What is there to choose from.
function chosenPair() { return data.pairs[choice.pair]; }
function mapsOf(kind) { return chosenPair().maps.filter((map) => map.kind === kind); }
function rowTokens() { return choice.kind === "encoder" ? chosenPair().source : chosenPair().target; }
function columnTokens() { return choice.kind === "decoder" ? chosenPair().target_input : chosenPair().source; }

// Weights are two digits each, in 4095ths.
function weightsOf(map) {
  map.read ??= Float32Array.from({ length: map.weights.length / 2 },
    (_, i) => (64 * digitOf.get(map.weights[2 * i]) + digitOf.get(map.weights[2 * i + 1])) / 4095);
  return map.read;
}

function meanOf(maps) {
  const sum = new Float32Array(weightsOf(maps[0]).length);
  for (const map of maps) weightsOf(map).forEach((weight, i) => { sum[i] += weight / maps.length; });
  return sum;
}

// The heads of the chosen layer by number, their mean first where there are several.
function headsOfLayer() {
  const maps = mapsOf(choice.kind).filter((map) => map.layer === choice.layer);
  const heads = new Map(maps.length > 1 ? [[mean, meanOf(maps)]] : []);
  for (const map of maps) heads.set(map.head, weightsOf(map));
  return heads;
}

function headName(head) { return head === mean ? "mean of heads" : `head ${head}`; }

// A pixel a weight; style sheets make it as large as it is shown.
function canvasOf(weights, rows, columns) {
  const canvas = element("canvas", { width: columns, height: rows, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  for (let row = 0; row < rows; ++row) {
    const line = weights.subarray(row * columns, (row + 1) * columns);
    const largest = choice.byRow ? line.reduce((a, b) => Math.max(a, b), 1e-6) : 1;
    line.forEach((weight, column) => image.data.set([...ink, 255 * weight / largest], 4 * (row * columns + column)));
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function size(canvas, width, height) {
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  return canvas;
}

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

// Keeps the choice within what the pair has.
function settle() {
  const present = Object.keys(kinds).filter((kind) => mapsOf(kind).length > 0);
  if (!present.includes(choice.kind)) choice.kind = present.at(-1);
  const layers = [...new Set(mapsOf(choice.kind).map((map) => map.layer))];
  if (!layers.includes(choice.layer)) choice.layer = layers.at(-1);
  const heads = headsOfLayer();
  if (!heads.has(choice.head)) choice.head = heads.keys().next().value;
  cell.row = Math.min(cell.row, rowTokens().length - 1);
  cell.column = Math.min(cell.column, columnTokens().length - 1);
  return { present, layers, heads };
}

function showHeads(heads) {
  const rows = rowTokens().length, columns = columnTokens().length;
  const side = 132 / Math.max(rows, columns);
  byId("heads").replaceChildren(...[...heads].map(([head, weights]) => element("button", {
    type: "button",
    "aria-pressed": String(head === choice.head),
    "data-value": head,
    click: () => {
      choice.head = head;
      show();
      byId("heads").querySelector(`[data-value="${head}"]`).focus();
    },
  }, headName(head), size(canvasOf(weights, rows, columns), side * columns, side * rows))));
}

function shortened(token) {
  const letters = [...token];
  return letters.length > 18 ? `${letters.slice(0, 17).join("")}…` : token;
}

// The large map: tokens on both axes, and the cell that is looked at.
function showMap(weights) {
  const rows = rowTokens(), columns = columnTokens();
  const side = Math.max(12, Math.min(30, Math.floor(900 / Math.max(rows.length, columns.length))));
  const font = Math.min(14, side - 1);
  const room = (tokens) => 12 + 0.64 * font * Math.max(...tokens.map((token) => [...shortened(token)].length));
  const left = room(rows), top = room(columns);
  const width = columns.length * side, height = rows.length * side;
  const canvas = size(canvasOf(weights, rows.length, columns.length), width, height);
  canvas.style.left = `${left}px`;
  canvas.style.top = `${top}px`;
  const svg = drawn("svg", {
    width: left + width + 2, height: top + height + 2, tabindex: 0, role: "img",
    "aria-label": `${kinds[choice.kind][0]}, layer ${choice.layer}, ${headName(choice.head)}: ` +
      `${rows.length} rows, ${columns.length} columns. Arrow keys move from weight to weight.`,
  });
  columns.forEach((token, i) => svg.append(drawn("text", {
    "font-size": font, transform: `translate(${left + (i + 0.5) * side + font / 3} ${top - 5}) rotate(-90)`,
    "data-column": i,
  }, shortened(token), drawn("title", {}, token))));
  rows.forEach((token, i) => svg.append(drawn("text", {
    "font-size": font, x: left - 5, y: top + (i + 0.5) * side + font / 3, "text-anchor": "end", "data-row": i,
  }, shortened(token), drawn("title", {}, token))));
  for (let i = 5; i < rows.length; i += 5) {
    svg.append(drawn("line", { class: "grid", x1: left, x2: left + width, y1: top + i * side, y2: top + i * side }));
  }
  for (let i = 5; i < columns.length; i += 5) {
    svg.append(drawn("line", { class: "grid", x1: left + i * side, x2: left + i * side, y1: top, y2: top + height }));
  }
  const frame = drawn("rect", { class: "cell", width: side, height: side, visibility: "hidden" });
  svg.append(frame);

  function look(row, column) {
    cell = { row: Math.max(0, Math.min(rows.length - 1, row)), column: Math.max(0, Math.min(columns.length - 1, column)) };
    frame.setAttribute("x", left + cell.column * side);
    frame.setAttribute("y", top + cell.row * side);
    frame.setAttribute("visibility", "visible");
    for (const text of svg.querySelectorAll("text")) {
      text.classList.toggle("chosen",
        text.dataset.row === String(cell.row) || text.dataset.column === String(cell.column));
    }
    const weight = weights[cell.row * columns.length + cell.column];
    byId("value").textContent = `${rows[cell.row]} looks at ${columns[cell.column]}: ${weight.toFixed(3)}`;
  }
  svg.addEventListener("mousemove", (event) => {
    const box = svg.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - left) / side);
    const row = Math.floor((event.clientY - box.top - top) / side);
    if (row >= 0 && row < rows.length && column >= 0 && column < columns.length) look(row, column);
  });
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  svg.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    look(cell.row + step[0], cell.column + step[1]);
  });
  svg.addEventListener("focus", () => look(cell.row, cell.column));
  byId("map").replaceChildren(element("figure", {}, canvas, svg));
  byId("value").textContent = "";
}

function showScale() {
  const steps = Float32Array.from({ length: 101 }, (_, i) => i / 100);
  const isByRow = choice.byRow;
  choice.byRow = false;
  byId("scale").replaceChildren(element("span", {}, "0"), canvasOf(steps, 1, 101),
    element("span", {}, isByRow ? "the largest weight of the row" : "1"));
  choice.byRow = isByRow;
}

function show() {
  const { present, layers, heads } = settle();
  const pair = chosenPair();
  const text = (tokens) => tokens.slice(0, -1).join("").replaceAll("▁", " ").trim();
  buttons("kind", "attention", present, choice.kind, (kind) => kinds[kind][0], (kind) => { choice.kind = kind; });
  buttons("layer", "layer", layers, choice.layer, String, (layer) => { choice.layer = layer; });
  buttons("shade", "shades", ["0 to 1", "by row"], choice.byRow ? "by row" : "0 to 1", String,
    (shade) => { choice.byRow = shade === "by row"; });
  byId("texts").replaceChildren(element("p", {}, element("span", { class: "muted" }, "source "), text(pair.source)),
    element("p", {}, element("span", { class: "muted" }, "target "), text(pair.target)));
  showHeads(heads);
  byId("caption").textContent = `Line ${pair.line}, ${kinds[choice.kind][0].toLowerCase()}, layer ${choice.layer}, ` +
    headName(choice.head);
  byId("legend").textContent = kinds[choice.kind][1];
  showMap(heads.get(choice.head));
  showScale();
}

byId("pair").append(...data.pairs.map((pair, i) => element("option", { value: i },
  `${pair.line}: ${pair.source.slice(0, -1).join("").replaceAll("▁", " ").trim().slice(0, 100)}`)));
byId("pair").addEventListener("change", (event) => {
  choice.pair = Number(event.target.value);
  show();
});
show();
