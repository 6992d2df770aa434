// A chart of lines in SVG, over an axis that it shares with other charts. Input is in chart_input.js, values under the
// mouse in chart_tip.js, and downloads in chart_export.js.

const margin = { left: 68, right: 14, top: 8, bottom: 42 };
const inset = 8;  // between the frame and the first and last points
const farthest = 1e150;  // of values that are drawn, whose distances and quotients are numbers still
const letterWidth = 7;  // of labels in charts
const headroom = 0.06;  // of the height, above the highest and below the lowest

class Chart {
  // lines(): [{ name, text(value), style, isDashed, isFaint, dots, x: [...], y: [...], best: { at: index, label } or undefined }], x
  // ascending; faint ones are drawn first and are not read. axis(): { name, isTime, isWhole, zoom: [from, to] or
  // null, extent: [least, most] }. marks(): places on the axis, [{ x, label }], ascending. actions: { zoom([from, to] or null), read(value or undefined), buttons: elements }.
  // view(): { isLogarithmic, isLarge }. unit: the label of the axis of values.
  constructor(title, { unit, lines, axis, marks, view, actions }) {
    Object.assign(this, { title, unit, lines, axis, marks, view, actions });
    this.clip = "clip-" + Chart.count++;
    this.drawing = drawn("svg", { role: "img", tabindex: 0, "aria-label": title + ", a chart" });
    this.tip = element("div", { class: "tip", hidden: true });
    this.figure = element("figure", { "data-figure": title },
      element("figcaption", {}, title, element("span", { class: "buttons" }, ...actions.buttons)), this.drawing, this.tip);
    listenTo(this);
  }
  static count = 0;

  get window() { return this.axis().zoom ?? this.axis().extent; }
  valueAt(pixel) {
    const [from, to] = this.window;
    return from + (pixel - margin.left - inset) / (this.width - 2 * inset) * (to - from);
  }
  pixelAt(value) {
    const [from, to] = this.window;
    return margin.left + inset + (value - from) / (to - from || 1) * (this.width - 2 * inset);
  }
  heightAt(value) {
    const scaled = (v) => (this.isLogarithmic ? Math.log(v) : v);
    const [least, most] = this.range.map(scaled);
    return this.bottom - (scaled(value) - least) / (most - least || 1) * (this.bottom - margin.top);
  }

  // Returns the visible part of a line: the points in the window, and one beyond each end, with their positions in the
  // line.
  visible({ x, y }) {
    const [from, to] = this.window;
    const inside = [];
    for (let i = 0; i < x.length; ++i) {
      const near = (x[i] >= from || x[i + 1] >= from) && (x[i] <= to || x[i - 1] <= to);
      if (near && (!this.isLogarithmic || y[i] > 1 / farthest)) inside.push({ x: x[i], y: y[i], index: i });
    }
    return inside;
  }

  setRange(points) {
    let least = Infinity, most = -Infinity;
    for (const { y } of points) {
      least = Math.min(least, y);
      most = Math.max(most, y);
    }
    if (least > most) [least, most] = [1, 2];
    if (least === most) [least, most] = least > 0 ? [least * 0.9, most * 1.1] : [least - 1, most + 1];
    if (this.isLogarithmic) {
      const factor = (most / least) ** headroom;
      this.range = [least / factor, most * factor];
    } else {
      const room = (most - least) * headroom;
      this.range = [least - room, most + room];
    }
  }

  draw() {
    const { isLogarithmic, isLarge } = this.view();
    this.isLogarithmic = isLogarithmic;
    this.figure.classList.toggle("large", isLarge);
    this.total = this.figure.clientWidth || 480;
    this.totalHeight = isLarge ? Math.max(Math.round(window.innerHeight * 0.7), 300) : 246;
    this.width = Math.max(this.total - margin.left - margin.right, 50);
    this.bottom = this.totalHeight - margin.bottom;
    this.drawing.setAttribute("width", this.total);
    this.drawing.setAttribute("height", this.totalHeight);
    this.shown = this.lines().map((line) => ({ ...line, points: this.visible(line) }));
    this.setRange(this.shown.flatMap((line) => line.points));
    this.crosshair = drawn("g", { class: "crosshair" });
    this.selection = drawn("rect", { class: "selection", y: margin.top, height: this.bottom - margin.top, width: 0 });
    this.labels = [];
    const frame = { x: margin.left, y: margin.top, width: this.width, height: this.bottom - margin.top };
    this.drawing.replaceChildren(
      drawn("clipPath", { id: this.clip }, drawn("rect", frame)),
      ...this.grid(), drawn("rect", { class: "frame", ...frame }),
      drawn("g", { "clip-path": `url(#${this.clip})` }, ...this.markLines(), ...this.shown.flatMap((line) => this.trace(line)), this.selection, this.crosshair));
  }

  grid() {
    const axis = this.axis(), [from, to] = this.window;
    const marks = [];
    const across = linearTicks(from, to, axis), apart = across[1] - across[0] || to - from;
    for (const tick of across) {
      const x = this.pixelAt(tick);
      marks.push(drawn("line", { class: "grid", x1: x, x2: x, y1: margin.top, y2: this.bottom }),
        drawn("text", { class: "across", x, y: this.bottom + 17, "text-anchor": "middle" }, axis.isTime ? timeTick(tick, to - from) : tickText(tick, apart)));
    }
    const up = this.isLogarithmic ? logarithmicTicks(...this.range) : linearTicks(...this.range);
    for (const tick of up) {
      const y = this.heightAt(tick);
      marks.push(drawn("line", { class: "grid", x1: margin.left, x2: margin.left + this.width, y1: y, y2: y }),
        drawn("text", { class: "up", x: margin.left - 6, y: y + 4, "text-anchor": "end" }, this.isLogarithmic ? shortNumber(tick) : tickText(tick, up[1] - up[0] || 1)));
    }
    const middle = (margin.top + this.bottom) / 2;
    return [...marks, drawn("text", { class: "label", x: margin.left + this.width / 2, y: this.bottom + 34, "text-anchor": "middle" }, axis.name),
      drawn("text", { class: "label", transform: `translate(13 ${middle}) rotate(-90)`, "text-anchor": "middle" }, this.unit)];
  }

  // Returns a line for each mark. A label that would cover the one before it is left out.
  markLines() {
    let end = -Infinity;
    return this.marks().flatMap(({ x: value, label }) => {
      const x = this.pixelAt(value), hasRoom = x > end;
      if (hasRoom) end = x + 8 + label.length * letterWidth;
      return [drawn("line", { class: "mark", x1: x, x2: x, y1: margin.top, y2: this.bottom }),
        ...(hasRoom ? [drawn("text", { class: "mark", x: x + 4, y: this.bottom - 5 }, label)] : [])];
    });
  }

  trace({ points, style, dots, isDashed, isFaint, best }) {
    const at = points.map(({ x, y }) => [this.pixelAt(x).toFixed(1), this.heightAt(y).toFixed(1)]);
    const path = at.map(([x, y], i) => (i === 0 ? "M" : "L") + x + " " + y).join("");
    const traces = [drawn("path", { class: "line" + (isDashed ? " dashed" : "") + (isFaint ? " faint" : ""), d: path, style })];
    if (dots && at.length <= 200 || at.length === 1) {
      for (const [x, y] of at) traces.push(drawn("circle", { cx: x, cy: y, r: 2.6, style }));
    }
    const place = best ? points.findIndex(({ index }) => index === best.at) : -1;
    if (place >= 0) traces.push(...this.bestMark(...at[place].map(Number), best.label, style));
    return traces;
  }

  // Draws a ring around the best validation, and its label.
  bestMark(x, y, label, style) {
    return [drawn("circle", { class: "best", cx: x, cy: y, r: 6, style }),
      ...(label ? [drawn("text", { class: "best", ...this.labelPlace(x, y, label), "text-anchor": "start", style }, label)] : [])];
  }

  // Returns a place next to a point, on the side with room, far enough above or below it to cover no line.
  labelPlace(x, y, label) {
    const width = label.length * letterWidth;
    const left = x > margin.left + this.width / 2 ? x - 10 - width : x + 10;
    const boxAt = (base) => ({ left, right: left + width, top: base - 11, bottom: base + 5 });
    const places = [];
    for (let far = 8; far < this.bottom; far += 6) places.push(y - far, y + far + 10);
    const inside = places.filter((base) => base > margin.top + 12 && base < this.bottom - 5);
    const base = inside.find((place) => !this.isCovered(boxAt(place))) ?? inside[0] ?? y;
    this.labels.push(boxAt(base));
    return { x: left, y: base };
  }

  isCovered(box) {
    const isMet = (other) => other.left < box.right && other.right > box.left && other.top < box.bottom && other.bottom > box.top;
    return this.labels.some(isMet) || this.shown.some(({ points }) => points.some((point, i) => {
      const before = points[Math.max(i - 1, 0)];
      const [x0, x1] = [before, point].map(({ x }) => this.pixelAt(x)), [y0, y1] = [before, point].map(({ y }) => this.heightAt(y));
      const heightOf = (x) => (x1 > x0 ? y0 + (y1 - y0) * (x - x0) / (x1 - x0) : y1);
      const [from, to] = [Math.max(x0, box.left), Math.min(x1, box.right)];
      if (from > to) return false;
      const ends = x1 > x0 ? [heightOf(from), heightOf(to)] : [y0, y1];
      return Math.min(...ends) < box.bottom && Math.max(...ends) > box.top;
    }));
  }
}
