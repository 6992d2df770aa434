// A chart of lines over a common axis, in SVG: read with the mouse or the keyboard, zoomed along the axis by dragging,
// keys, or the wheel where it has the focus.

const chartHeight = 230;
const margin = { left: 58, right: 24, top: 8, bottom: 26 };

// 1234567 as "1.23M", 0.0000123 as "1.23e-5".
function shortNumber(value) {
  const size = Math.abs(value);
  if (size >= 1e15) return value.toExponential(2).replace("+", "");
  for (const [unit, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (size >= unit) return String(Number((value / unit).toPrecision(4))) + letter;
  }
  if (size > 0 && size < 1e-3) return value.toExponential(2).replace(/\.?0+e/, "e");
  return String(Number(value.toPrecision(4)));
}

const timeUnits = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];

// Seconds as "1.5 h".
function shortTime(seconds) {
  const [size, name] = timeUnits.find(([unit]) => Math.abs(seconds) >= unit) ?? [1, "s"];
  return shortNumber(seconds / size) + " " + name;
}

// Seconds where a window of so many is shown: "3 d", "1.5 h", "40 min", "7 s", or "33:05 h" deep in a long run.
function timeTick(seconds, span) {
  const [unit, name] = timeUnits.find(([size]) => span >= 2 * size) ?? [1, "s"];
  if (unit >= 3600 || seconds < 7200 && unit === 60 || seconds < 120) return shortNumber(seconds / unit) + " " + name;
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60;
  return unit === 60 ? `${hours}:${two(minutes)} h` : `${hours}:${two(minutes)}:${two(Math.round(seconds % 60))}`;
}

// Round values in a range, about `count` of them: 1, 2 or 5 times a power of ten, or of a unit of time.
function linearTicks(least, most, count, isTime) {
  const unit = isTime ? (timeUnits.find(([size]) => most - least >= 2 * size) ?? [1])[0] : 1;
  const rough = (most - least) / unit / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) * unit;
  const ticks = [];
  for (let i = Math.ceil(least / step); i * step <= most && ticks.length < 50; ++i) ticks.push(i * step);
  return ticks;
}

// The same for a logarithmic axis.
function logarithmicTicks(least, most) {
  const decades = Math.log10(most / least);
  if (decades < 1) return linearTicks(least, most, 4, false).filter((tick) => tick > 0);
  const stride = Math.ceil(decades / 6);
  const ticks = [];
  for (let power = Math.floor(Math.log10(least)); 10 ** power <= most; power += stride) {
    for (const n of decades < 3 ? [1, 2, 5] : [1]) {
      const tick = n * 10 ** power;
      if (tick >= least && tick <= most) ticks.push(tick);
    }
  }
  return ticks;
}

// The index of the point nearest to x; xs ascend.
function nearest(xs, x) {
  let low = 0, high = xs.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle; else high = middle;
  }
  return Math.abs(xs[low] - x) <= Math.abs(xs[high] - x) ? low : high;
}

class Chart {
  // lines(): [{ name, style, dots, x: [...], y: [...] }], x ascending. axis(): { name, isTime, zoom: [from, to] or
  // null, extent: [least, most] }. onZoom([from, to] or null).
  constructor(title, { lines, axis, onZoom, logarithmic = false }) {
    Object.assign(this, { title, lines, axis, onZoom, logarithmic });
    this.clip = "clip-" + title.replace(/\W/g, "-");
    this.drawing = drawn("svg", { role: "img", tabindex: 0, "aria-label": title + ", a chart", height: chartHeight });
    this.tip = element("div", { class: "tip", hidden: true });
    const scale = element("button", {
      type: "button", "aria-pressed": String(logarithmic), title: "logarithmic scale",
      click: () => {
        this.logarithmic = !this.logarithmic;
        scale.setAttribute("aria-pressed", String(this.logarithmic));
        this.draw();
      },
    }, "log");
    this.figure = element("figure", { "data-figure": title },
      element("figcaption", {}, title, scale), this.drawing, this.tip);
    this.listen();
  }

  listen() {
    const at = (event) => event.clientX - this.drawing.getBoundingClientRect().left;
    this.drawing.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.drawing.setPointerCapture(event.pointerId);
      this.drag = at(event);
    });
    this.drawing.addEventListener("pointermove", (event) => {
      if (this.drag === undefined) this.read(at(event));
      else this.select(this.drag, at(event));
    });
    this.drawing.addEventListener("pointerup", (event) => {
      const from = this.drag, to = at(event);
      this.drag = undefined;
      this.select(0, 0);
      if (from !== undefined && Math.abs(to - from) > 4) {
        this.zoomTo(...[this.valueAt(from), this.valueAt(to)].sort((a, b) => a - b));
      }
    });
    this.drawing.addEventListener("pointerleave", () => this.read(undefined));
    this.drawing.addEventListener("dblclick", () => this.onZoom(null));
    this.drawing.addEventListener("keydown", (event) => this.press(event));
    this.drawing.addEventListener("wheel", (event) => {
      if (document.activeElement !== this.drawing) return;  // the page scrolls
      event.preventDefault();
      this.magnify(event.deltaY < 0 ? 0.8 : 1.25, this.valueAt(at(event)));
    }, { passive: false });
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [from, to] = this.window;
    const actions = {
      "+": () => this.magnify(0.5, (from + to) / 2),
      "=": () => this.magnify(0.5, (from + to) / 2),
      "-": () => this.magnify(2, (from + to) / 2),
      ArrowLeft: () => this.shift(-(to - from) / 4),
      ArrowRight: () => this.shift((to - from) / 4),
      0: () => this.onZoom(null),
      Escape: () => this.onZoom(null),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  // Zooms by a factor of the window's width around a value.
  magnify(factor, value) {
    const [from, to] = this.window;
    this.zoomTo(value - (value - from) * factor, value + (to - value) * factor);
  }

  shift(distance) {
    const [least, most] = this.axis().extent;
    const [from, to] = this.window;
    const move = Math.min(Math.max(distance, least - from), most - to);
    this.zoomTo(from + move, to + move);
  }

  zoomTo(from, to) {
    const [least, most] = this.axis().extent;
    const inside = [Math.max(from, least), Math.min(to, most)];
    if (inside[1] - inside[0] < (most - least) * 1e-4) return;
    this.onZoom(inside[0] <= least && inside[1] >= most ? null : inside);
  }

  get window() { return this.axis().zoom ?? this.axis().extent; }
  valueAt(pixel) {
    const [from, to] = this.window;
    return from + (pixel - margin.left) / this.width * (to - from);
  }
  pixelAt(value) {
    const [from, to] = this.window;
    return margin.left + (value - from) / (to - from || 1) * this.width;
  }
  heightAt(value) {
    const scaled = (v) => (this.logarithmic ? Math.log(v) : v);
    const [least, most] = this.range.map(scaled);
    return chartHeight - margin.bottom - (scaled(value) - least) / (most - least || 1) * this.height;
  }

  // What is visible of a line: points in the window, and one beyond each end.
  visible({ x, y }) {
    const [from, to] = this.window;
    const inside = [];
    for (let i = 0; i < x.length; ++i) {
      const near = (x[i] >= from || x[i + 1] >= from) && (x[i] <= to || x[i - 1] <= to);
      if (near && (!this.logarithmic || y[i] > 0)) inside.push([x[i], y[i]]);
    }
    return inside;
  }

  setRange(points) {
    let least = Infinity, most = -Infinity;
    for (const [, y] of points) {
      least = Math.min(least, y);
      most = Math.max(most, y);
    }
    if (least > most) [least, most] = [1, 2];
    if (least === most) [least, most] = least > 0 ? [least * 0.9, most * 1.1] : [least - 1, most + 1];
    this.range = [least, most];
  }

  draw() {
    const total = this.figure.clientWidth || 480;
    this.width = Math.max(total - margin.left - margin.right, 50);
    this.height = chartHeight - margin.top - margin.bottom;
    this.drawing.setAttribute("width", total);
    const lines = this.lines().map((line) => ({ ...line, points: this.visible(line) }));
    this.setRange(lines.flatMap((line) => line.points));
    this.cursor = drawn("line", { class: "cursor", y1: margin.top, y2: chartHeight - margin.bottom, visibility: "hidden" });
    this.selection = drawn("rect", { class: "selection", y: margin.top, height: this.height, width: 0 });
    this.drawing.replaceChildren(
      drawn("clipPath", { id: this.clip },
        drawn("rect", { x: margin.left - 3, y: margin.top - 3, width: this.width + 6, height: this.height + 6 })),
      ...this.grid(),
      drawn("g", { "clip-path": `url(#${this.clip})` }, ...lines.flatMap((line) => this.trace(line)), this.selection),
      this.cursor);
  }

  grid() {
    const { isTime } = this.axis();
    const bottom = chartHeight - margin.bottom, span = this.window[1] - this.window[0];
    const marks = [];
    for (const tick of linearTicks(...this.window, this.width / 90, isTime)) {
      const x = this.pixelAt(tick);
      marks.push(drawn("line", { class: "grid", x1: x, x2: x, y1: margin.top, y2: bottom }),
        drawn("text", { x, y: bottom + 17, "text-anchor": "middle" }, isTime ? timeTick(tick, span) : shortNumber(tick)));
    }
    for (const tick of this.logarithmic ? logarithmicTicks(...this.range) : linearTicks(...this.range, 5, false)) {
      const y = this.heightAt(tick);
      marks.push(drawn("line", { class: "grid", x1: margin.left, x2: margin.left + this.width, y1: y, y2: y }),
        drawn("text", { x: margin.left - 6, y: y + 4, "text-anchor": "end" }, shortNumber(tick)));
    }
    return marks;
  }

  trace({ points, style, dots }) {
    const at = points.map(([x, y]) => [this.pixelAt(x).toFixed(1), this.heightAt(y).toFixed(1)]);
    const path = at.map(([x, y], i) => (i === 0 ? "M" : "L") + x + " " + y).join("");
    const traces = [drawn("path", { class: "line", d: path, style })];
    if (dots && at.length <= 200 || at.length === 1) {
      for (const [x, y] of at) traces.push(drawn("circle", { cx: x, cy: y, r: 2.6, style }));
    }
    return traces;
  }

  select(from, to) {
    this.selection.setAttribute("x", Math.min(from, to));
    this.selection.setAttribute("width", Math.abs(to - from));
  }

  // Shows what the lines are at a place, or nothing.
  read(pixel) {
    const value = pixel === undefined ? undefined : this.valueAt(pixel);
    const [from, to] = this.window;
    const lines = this.lines().filter((line) => line.x.length > 0);
    const is_inside = value >= from && value <= to && lines.length > 0;
    this.tip.hidden = !is_inside;
    this.cursor.setAttribute("visibility", is_inside ? "visible" : "hidden");
    if (!is_inside) return;
    this.cursor.setAttribute("x1", pixel);
    this.cursor.setAttribute("x2", pixel);
    const { isTime, name } = this.axis();
    this.tip.replaceChildren(element("div", { class: "muted" }, `${name}: ${isTime ? shortTime(value) : shortNumber(Math.round(value))}`),
      ...lines.map((line) => element("div", {}, element("span", { class: "swatch", style: line.style }),
        `${line.name}: ${shortNumber(line.y[nearest(line.x, value)])}`)));
    const is_left = pixel < margin.left + this.width / 2;
    this.tip.style.left = is_left ? `${pixel + 12}px` : "auto";
    this.tip.style.right = is_left ? "auto" : `${margin.left + this.width + margin.right - pixel + 12}px`;
  }
}
