// Both sentences of a map as text. Pointing at a word shades its partners and draws lines to them. Otherwise, faint
// lines show the largest weights of all words.

const faintest = 0.02; // of a weight that has a line
const faintestOfAll = 0.15; // the same where no word is pointed at

// `side` has the tokens of rows or columns; `point` is called with the token that is pointed at.
function tokensOf(side, name, point) {
  return element("p", { class: "tokens" }, element("span", { class: "side" }, side.title),
    ...side.names.map((text, i) => {
      const probability = side.probabilities?.[i];
      const token = element("span", {
        class: "token", tabindex: i === 0 ? 0 : -1, [`data-${name}`]: i,
        pointerenter: () => point(name, i), focus: () => point(name, i),
      }, element("span", {}, text));
      if (probability !== undefined) {
        const bar = element("small", { title: `probability ${probability}` }, probability.toFixed(2));
        bar.style.setProperty("--part", `${100 * probability}%`);
        token.append(bar);
      }
      return token;
    }));
}

// Arrow keys move along a sentence and between sentences.
function moveAmongTokens(event) {
  const tokens = [...event.currentTarget.querySelectorAll(".tokens")].map((p) => [...p.querySelectorAll(".token")]);
  const line = tokens.findIndex((line) => line.includes(event.target));
  if (line < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
  const at = tokens[line].indexOf(event.target);
  const steps = { ArrowLeft: [line, at - 1], ArrowRight: [line, at + 1], ArrowUp: [0, at], ArrowDown: [1, at] };
  if (!(event.key in steps)) return;
  event.preventDefault();
  const [to, place] = steps[event.key];
  tokens[to][Math.max(0, Math.min(tokens[to].length - 1, place))].focus();
}

// Shows the sentences of a map; returns a function that points at a token.
function showWords(weights, rows, columns) {
  const width = columns.names.length;
  const lines = drawn("svg", { class: "lines", "aria-hidden": "true" });
  const hint = "Point at a word, or reach it with the arrow keys: what it looks at, or is looked at by, is shaded.";

  const tokenAt = (name, i) => figure.querySelector(`.token[data-${name}="${i}"]`);

  // Returns the line of a weight, from the token of a row to that of a column.
  function lineOf(row, column, attributes) {
    const outer = figure.getBoundingClientRect();
    const [below, above] = [tokenAt("row", row), tokenAt("column", column)].map((node) => node.getBoundingClientRect());
    const middle = ({ left, right }) => (left + right) / 2 - outer.left;
    return drawn("line", { x1: middle(above), y1: above.bottom - outer.top, x2: middle(below), y2: below.top - outer.top, ...attributes });
  }

  function linkAll() {
    rows.names.forEach((_, row) => {
      const line = weights.subarray(row * width, (row + 1) * width);
      const largest = choice.byRow ? line.reduce((a, b) => Math.max(a, b), 1e-6) : 1;
      line.forEach((weight, column) => {
        const strength = weight / largest;
        if (strength >= faintestOfAll) lines.append(lineOf(row, column, { class: "faint", "stroke-opacity": 0.5 * strength }));
      });
    });
  }

  function point(name, i) {
    const partners = name === "row" ? Array.from(weights.subarray(i * width, (i + 1) * width))
      : rows.names.map((_, row) => weights[row * width + i]);
    const largest = choice.byRow ? Math.max(...partners, 1e-6) : 1;
    const other = name === "row" ? "column" : "row";
    clear();
    tokenAt(name, i).classList.add("pointed");
    partners.forEach((weight, j) => {
      const strength = weight / largest;
      tokenAt(other, j).style.setProperty("--strength", `${Math.round(55 * strength)}%`);
      if (strength < faintest) return;
      const [row, column] = name === "row" ? [i, j] : [j, i];
      // The root makes a weight of a tenth visible in both themes.
      lines.append(lineOf(row, column, { "stroke-opacity": Math.sqrt(strength), "stroke-width": 1 + 3 * strength }));
    });
    tell(name, i, partners);
  }

  // Returns the partners with the largest weights.
  function tell(name, i, partners) {
    const [mine, others] = name === "row" ? [rows, columns] : [columns, rows];
    const best = partners.map((weight, j) => ({ weight, name: others.names[j] }))
      .sort((a, b) => b.weight - a.weight).slice(0, 3).map((partner) => `${partner.name} ${partner.weight.toFixed(2)}`);
    const probability = mine.probabilities ? `, probability ${mine.probabilities[i].toFixed(3)},` : "";
    byId("hint").textContent = `${mine.names[i]}${probability} ${name === "row" ? "looks at" : "is looked at by"} ` +
      best.join(", ");
  }

  function clear() {
    lines.replaceChildren();
    for (const token of figure.querySelectorAll(".token")) {
      token.classList.remove("pointed");
      token.style.removeProperty("--strength");
    }
    byId("hint").textContent = hint;
  }

  function rest() {
    clear();
    linkAll();
  }

  const figure = element("figure", {
    pointerleave: () => { if (!figure.contains(document.activeElement)) rest(); },
    focusout: rest,
    keydown: moveAmongTokens,
  }, tokensOf(columns, "column", point), tokensOf(rows, "row", point), lines);
  byId("words").replaceChildren(figure);
  rest();
  return point;
}
