// Reading values from charts: a crosshair in all of them, and the values in the one under the mouse.

// Returns the index of the point nearest to x; xs ascend.
function nearest(xs, x) {
  let low = 0, high = xs.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle; else high = middle;
  }
  return Math.abs(xs[low] - x) <= Math.abs(xs[high] - x) ? low : high;
}

// Returns the measured position nearest to a value, of the visible lines in the window.
function measuredNear(chart, value) {
  const [from, to] = chart.window;
  if (value === undefined) return undefined;
  const places = chart.shown.filter(({ isFaint, x }) => !isFaint && x.length > 0).map(({ x }) => x[nearest(x, value)])
    .filter((x) => x >= from && x <= to);
  return places.reduce((best, x) => (Math.abs(x - value) < Math.abs(best - value) ? x : best), places[0] ?? value);
}

// Returns the points of the lines at a position, except lines that begin later or have ended.
function readings(chart, value) {
  const [from, to] = chart.window, slack = (to - from) / 20;
  return chart.shown.flatMap((line) => {
    const { x, y } = line;
    if (line.isFaint || x.length === 0 || value < x[0] - slack || value > x[x.length - 1] + slack) return [];
    const i = nearest(x, value);
    return [{ line, x: x[i], y: y[i] }];
  });
}

// Shows the position of a value on the axis, or hides it.
function showCrosshair(chart, value) {
  const [from, to] = chart.window;
  if (!(value >= from && value <= to)) return chart.crosshair.replaceChildren();
  const at = chart.pixelAt(value);
  const dots = readings(chart, value).filter(({ y }) => !chart.isLogarithmic || y > 1 / farthest).map(({ line, x, y }) =>
    drawn("circle", { cx: chart.pixelAt(x), cy: chart.heightAt(y), r: 3.5, style: line.style }));
  chart.crosshair.replaceChildren(drawn("line", { class: "cursor", x1: at, x2: at, y1: margin.top, y2: chart.bottom }), ...dots);
}

// Returns a sample of a line as it is drawn.
function sample({ style, isDashed, dots }) {
  return drawn("svg", { class: "sample", width: 26, height: 10, "aria-hidden": true },
    drawn("path", { class: "line" + (isDashed ? " dashed" : ""), d: "M0 5L26 5", style }),
    ...(dots ? [drawn("circle", { cx: 13, cy: 5, r: 2.6, style })] : []));
}

const axisText = ({ isTime, isWhole }, value) => (isTime ? clockTime(value) : shortNumber(isWhole ? Math.round(value) : value));

function showTip(chart, value) {
  const [from, to] = chart.window;
  const found = value >= from && value <= to ? readings(chart, value) : [];
  chart.tip.hidden = found.length === 0;
  if (chart.tip.hidden) return chart.tip.replaceChildren();
  const axis = chart.axis();
  const text = chart.drag === undefined ? axisText(axis, value)
    : [Math.min(Math.max(chart.valueAt(chart.drag), from), to), value].sort((a, b) => a - b).map((end) => axisText(axis, end)).join(" – ");
  chart.tip.replaceChildren(element("div", { class: "muted" }, `${axis.name}: ${text}`),
    ...found.map(({ line, x, y }) => element("div", {}, sample(line), `${line.name}: ${line.text(y)}`,
      ...(x === value || chart.drag !== undefined ? [] : [element("span", { class: "muted" }, ` at ${axisText(axis, x)}`)]))));
  placeTip(chart, chart.drag ?? chart.pointer);
}

// Places the tip next to the pointer and the selection that starts at `begin`, or below the chart if neither side has room.
function placeTip({ tip, total, figure, pointer }, begin) {
  const gap = 12, width = tip.offsetWidth;
  const right = Math.max(pointer, begin) + gap, left = Math.min(pointer, begin) - gap - width;
  const isBeside = right + width <= total || left >= 0;
  const x = right + width <= total ? right : isBeside ? left : Math.min(Math.max(pointer - width / 2, 0), total - width);
  tip.style.left = `${x}px`;
  tip.style.top = isBeside ? "" : `${figure.clientHeight}px`;
}

function select(chart, from, to) {
  const inside = (pixel) => Math.min(Math.max(pixel, margin.left), margin.left + chart.width);
  const [begin, end] = [inside(from), inside(to)];
  chart.selection.setAttribute("x", Math.min(begin, end));
  chart.selection.setAttribute("width", Math.abs(end - begin));
}
