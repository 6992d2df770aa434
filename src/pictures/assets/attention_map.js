// Weights as pixels, and a large map of them, with tokens on both axes and the weight under the pointer.

const ink = [11, 68, 158];
let cell = { row: 0, column: 0 }; // under the mouse or moved by keys

// Draws a pixel per weight, which style sheets enlarge.
function canvasOf(weights, rows, columns, byRow = choice.byRow) {
  const canvas = element("canvas", { width: columns, height: rows, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  for (let row = 0, pixel = 0; row < rows; ++row) {
    const line = weights.subarray(row * columns, (row + 1) * columns);
    const largest = byRow ? line.reduce((a, b) => Math.max(a, b), 1e-6) : 1;
    for (let column = 0; column < columns; ++column) {
      image.data[pixel++] = ink[0];
      image.data[pixel++] = ink[1];
      image.data[pixel++] = ink[2];
      image.data[pixel++] = 255 * line[column] / largest;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function shortened(token, most = 18) {
  const letters = [...token];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : token;
}

// Returns the sizes of cells, letters and margins for the available space.
function measuresOf(rows, columns) {
  const longest = (names) => Math.max(...names.map((name) => [...shortened(name)].length));
  const room = byId("map").clientWidth - 40 - 9 * longest(rows);
  const side = Math.max(12, Math.min(30, Math.floor(room / columns.length), Math.floor(900 / rows.length)));
  const font = Math.min(14, side - 1);
  const margin = (names) => 30 + 0.64 * font * longest(names);
  return { side, font, left: margin(rows), top: margin(columns), width: columns.length * side, height: rows.length * side };
}

function namesOf(rows, columns, { side, font, left, top }) {
  const across = columns.names.map((name, i) => drawn("text", {
    "font-size": font, transform: `translate(${left + (i + 0.5) * side + font / 3} ${top - 5}) rotate(-90)`,
    "data-column": i,
  }, shortened(name), drawn("title", {}, name)));
  const down = rows.names.map((name, i) => drawn("text", {
    "font-size": font, x: left - 5, y: top + (i + 0.5) * side + font / 3, "text-anchor": "end", "data-row": i,
  }, shortened(name), drawn("title", {}, name)));
  return [...across, ...down];
}

function linesOf(rows, columns, { side, left, top, width, height }) {
  const lines = [];
  for (let i = 5; i < rows; i += 5) {
    lines.push(drawn("line", { class: "grid", x1: left, x2: left + width, y1: top + i * side, y2: top + i * side }));
  }
  for (let i = 5; i < columns; i += 5) {
    lines.push(drawn("line", { class: "grid", x1: left + i * side, x2: left + i * side, y1: top, y2: top + height }));
  }
  return lines;
}

function titlesOf(rows, columns, { left, top, width, height }) {
  return [drawn("text", { class: "axis", x: left + width / 2, y: 13, "text-anchor": "middle" }, columns.title),
    drawn("text", {
      class: "axis", transform: `translate(13 ${top + height / 2}) rotate(-90)`, "text-anchor": "middle",
    }, rows.title)];
}

// Calls `look` with the cell under the mouse, or selected by arrow keys.
function followPointers(svg, rows, columns, { side, left, top }, look) {
  svg.addEventListener("mousemove", (event) => {
    const box = svg.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - left) / side);
    const row = Math.floor((event.clientY - box.top - top) / side);
    if (row >= 0 && row < rows && column >= 0 && column < columns) look(row, column);
  });
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  svg.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    look(cell.row + step[0], cell.column + step[1]);
  });
  svg.addEventListener("focus", () => look(cell.row, cell.column));
}

// `point` is called with the token of the row that is looked at.
function showMap(weights, rows, columns, point) {
  const measures = measuresOf(rows.names, columns.names);
  const { side, left, top, width, height } = measures;
  const canvas = canvasOf(weights, rows.names.length, columns.names.length);
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px`, left: `${left}px`, top: `${top}px` });
  const svg = drawn("svg", {
    width: left + width + 2, height: top + height + 2, tabindex: 0, role: "img",
    "aria-label": `${byId("caption").textContent}: ${rows.names.length} rows, ${columns.names.length} columns. ` +
      "Arrow keys move from weight to weight.",
  }, ...titlesOf(rows, columns, measures), ...namesOf(rows, columns, measures),
  ...linesOf(rows.names.length, columns.names.length, measures));
  const frame = drawn("rect", { class: "cell", width: side, height: side, visibility: "hidden" });
  svg.append(frame);

  function look(row, column) {
    cell = {
      row: Math.max(0, Math.min(rows.names.length - 1, row)),
      column: Math.max(0, Math.min(columns.names.length - 1, column)),
    };
    frame.setAttribute("x", left + cell.column * side);
    frame.setAttribute("y", top + cell.row * side);
    frame.setAttribute("visibility", "visible");
    for (const text of svg.querySelectorAll("text")) {
      text.classList.toggle("chosen",
        text.dataset.row === String(cell.row) || text.dataset.column === String(cell.column));
    }
    const weight = weights[cell.row * columns.names.length + cell.column];
    byId("value").textContent = `${rows.names[cell.row]} looks at ${columns.names[cell.column]}: ${weight.toFixed(3)}`;
    point("row", cell.row);
  }
  followPointers(svg, rows.names.length, columns.names.length, measures, look);
  byId("map").replaceChildren(element("figure", {}, canvas, svg));
  byId("value").textContent = "";
}

function showScale() {
  const steps = Float32Array.from({ length: 101 }, (_, i) => i / 100);
  byId("scale").replaceChildren(element("span", {}, "weight 0"), canvasOf(steps, 1, 101, false),
    element("span", {}, choice.byRow ? "the largest of the row" : "1"));
}
