// Zooming charts along their axis: by dragging, by keys, and by the wheel if a chart has the focus.

function zoomTo(chart, from, to) {
  const [least, most] = chart.axis().extent;
  const inside = [Math.max(from, least), Math.min(to, most)];
  if (inside[1] - inside[0] < (most - least) * 1e-4) return;
  chart.actions.zoom(inside[0] <= least && inside[1] >= most ? null : inside);
}

// Zooms by a factor around a value.
function magnify(chart, factor, value) {
  const [from, to] = chart.window;
  zoomTo(chart, value - (value - from) * factor, value + (to - value) * factor);
}

function shift(chart, distance) {
  const [least, most] = chart.axis().extent;
  const [from, to] = chart.window;
  const move = Math.min(Math.max(distance, least - from), most - to);
  zoomTo(chart, from + move, to + move);
}

function pressKey(chart, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const [from, to] = chart.window;
  const actions = {
    "+": () => magnify(chart, 0.5, (from + to) / 2),
    "=": () => magnify(chart, 0.5, (from + to) / 2),
    "-": () => magnify(chart, 2, (from + to) / 2),
    ArrowLeft: () => shift(chart, -(to - from) / 4),
    ArrowRight: () => shift(chart, (to - from) / 4),
    0: () => chart.actions.zoom(null),
    Escape: () => chart.actions.zoom(null),
  };
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
}

// Returns the value under the pointer: the first or last one at the edge of the frame; outside, nothing unless it
// drags.
function valueUnder(chart) {
  const [from, to] = chart.window, { pointer } = chart;
  if (chart.drag === undefined && (pointer < margin.left || pointer > margin.left + chart.width)) return undefined;
  return Math.min(Math.max(chart.valueAt(pointer), from), to);
}

function listenTo(chart) {
  const { drawing } = chart;
  const at = (event) => event.clientX - drawing.getBoundingClientRect().left;
  const endDrag = () => {
    chart.drag = undefined;
    select(chart, 0, 0);
  };
  drawing.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drawing.setPointerCapture(event.pointerId);
    chart.drag = at(event);
  });
  drawing.addEventListener("pointermove", (event) => {
    chart.pointer = at(event);
    if (chart.drag !== undefined) select(chart, chart.drag, chart.pointer);
    chart.actions.read(valueUnder(chart));
  });
  drawing.addEventListener("pointerup", (event) => {
    const from = chart.drag, to = at(event);
    endDrag();
    if (from !== undefined && Math.abs(to - from) > 4) {
      zoomTo(chart, ...[chart.valueAt(from), chart.valueAt(to)].sort((a, b) => a - b));
    }
  });
  drawing.addEventListener("pointercancel", endDrag);
  drawing.addEventListener("pointerleave", () => chart.actions.read(undefined));
  drawing.addEventListener("dblclick", () => chart.actions.zoom(null));
  drawing.addEventListener("keydown", (event) => pressKey(chart, event));
  drawing.addEventListener("wheel", (event) => {
    if (document.activeElement !== drawing) return;  // the page scrolls
    event.preventDefault();
    magnify(chart, event.deltaY < 0 ? 0.8 : 1.25, chart.valueAt(at(event)));
  }, { passive: false });
}
