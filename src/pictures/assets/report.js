// The page of nmt report: charts of runs, their settings, and translations as they grew better.

const axes = {
  step: { name: "updates" },
  tokens: { name: "target tokens" },
  seconds: { name: "time", isTime: true },
};
const titles = new Map(Object.entries({
  loss: "loss", perplexity: "perplexity", nll: "negative log-likelihood", bleu: "BLEU", chrf: "chrF", ter: "TER",
  learning_rate: "learning rate", gradient_norm: "gradient norm", target_tokens_per_second: "target tokens per second",
  data_wait: "seconds waited for data", loss_scale: "scale of the loss",
}));
const titleOf = (name) => titles.get(name) ?? name;
const rank = (name) => (titles.has(name) ? [...titles.keys()].indexOf(name) : titles.size);
// What names of others lead to: a member of their own, or nothing.
const own = (object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined);

const view = { axis: "step", zoom: null, hidden: new Set(), open: new Set(), everySetting: false };
let charts = [];

const lineStyle = (run) => `--series: var(--series-${run % 8 + 1})` +
  (run >= 8 ? `; stroke-dasharray: ${["6 3", "2 3", "9 2 2 2"][Math.floor(run / 8 - 1) % 3]}` : "");

// The points of a figure that have a place on the axis.
function pointsOf(figure) {
  const x = [], y = [];
  figure[view.axis].forEach((at, i) => {
    if (at === null || figure.value[i] === null) return;
    x.push(at);
    y.push(figure.value[i]);
  });
  return { x, y };
}

function linesOf(name) {
  return data.runs.flatMap((run, index) => {
    if (view.hidden.has(index)) return [];
    return ["train", "valid"].filter((event) => own(run.series[event], name)).map((event) => ({
      name: (data.runs.length > 1 ? run.name + ", " : "") + (event === "train" ? "training" : "validation"),
      style: lineStyle(index) + (event === "train" ? "; opacity: 0.75" : ""),
      dots: event === "valid",
      ...pointsOf(run.series[event][name]),
    }));
  });
}

function extent() {
  const ends = data.runs.flatMap((run) => Object.values(run.series).flatMap((figures) =>
    Object.values(figures).flatMap((figure) => figure[view.axis].filter((at) => at !== null))));
  const least = ends.reduce((a, b) => Math.min(a, b), Infinity), most = ends.reduce((a, b) => Math.max(a, b), -Infinity);
  if (least > most) return [0, 1];
  return least === most ? [least - 1, most + 1] : [least, most];
}

function axisNow() {
  return { ...axes[view.axis], zoom: view.zoom, extent: view.extent };
}

function zoom(window) {
  view.zoom = window;
  document.getElementById("reset").disabled = window === null;
  charts.forEach((chart) => chart.draw());
}

function showCharts() {
  view.extent = extent();
  const names = new Set(data.runs.flatMap((run) => Object.values(run.series).flatMap((figures) => Object.keys(figures))));
  const sorted = [...names].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  if (sorted.join() !== view.names) {
    view.names = sorted.join();
    charts = sorted.map((name) => new Chart(titleOf(name),
      { lines: () => linesOf(name), axis: axisNow, onZoom: zoom, logarithmic: name === "perplexity" }));
    document.getElementById("charts").replaceChildren(...charts.map((chart) => chart.figure));
  }
  charts.forEach((chart) => chart.draw());
}

const last = (figure) => (figure ? figure.value[figure.value.length - 1] : undefined);
const shown = (value) => (value === undefined || value === null ? "" : shortNumber(value));

// The best value of a validation figure: BLEU and chrF are the better the higher they are.
function best(figure, name) {
  if (!figure) return undefined;
  return figure.value.reduce((a, b) => (["bleu", "chrf", "chrf++"].includes(name) ? Math.max(a, b) : Math.min(a, b)));
}

function showRuns() {
  const bests = [...new Set(data.runs.flatMap((run) => Object.keys(run.series.valid ?? {})))]
    .filter((name) => name !== "nll").sort((a, b) => rank(a) - rank(b));
  const head = ["run", "updates", "target tokens", "time", "training loss", ...bests.map((name) => "best " + titleOf(name))];
  const rows = data.runs.map((run, index) => {
    const loss = run.series.train?.loss ?? run.series.valid?.loss;
    const end = (axis) => (loss ? loss[axis][loss[axis].length - 1] : undefined);
    const box = element("input", {
      type: "checkbox", checked: !view.hidden.has(index),
      change: () => {
        if (box.checked) view.hidden.delete(index); else view.hidden.add(index);
        charts.forEach((chart) => chart.draw());
      },
    });
    const seconds = end("seconds");
    const figures = [end("step")?.toLocaleString("en") ?? "", shown(end("tokens")), seconds === undefined || seconds === null ? "" : shortTime(seconds),
      shown(last(run.series.train?.loss)), ...bests.map((name) => shown(best(own(run.series.valid, name), name)))];
    return element("tr", {},
      element("td", {}, element("label", {}, box, " ", element("span", { class: "swatch", style: lineStyle(index) }), run.name)),
      ...figures.map((figure) => element("td", { class: "number" }, figure)));
  });
  document.getElementById("runs").replaceChildren(
    element("tr", {}, ...head.map((name) => element("th", {}, name))), ...rows);
}

function showSettings() {
  const names = [...new Set(data.runs.flatMap((run) => Object.keys(run.configuration)))].sort();
  const rows = names.flatMap((name) => {
    const values = data.runs.map((run) => own(run.configuration, name) ?? "");
    const differs = values.some((value) => value !== values[0]);
    if (data.runs.length > 1 && !differs && !view.everySetting) return [];
    return [element("tr", { class: differs && "differs" }, element("th", {}, name),
      ...values.map((value) => element("td", {}, value)))];
  });
  const head = element("tr", {}, element("th", {}, "setting"), ...data.runs.map((run) => element("th", {}, run.name)));
  const none = element("tr", {}, element("td", { colspan: data.runs.length + 1, class: "muted" },
    names.length > 0 ? "no setting differs" : "no settings are recorded"));
  document.getElementById("settings").replaceChildren(head, ...(rows.length > 0 ? rows : [none]));
}

// Words of `now` that are not in the longest common subsequence with `before`.
function changed(before, now) {
  const longest = Array.from({ length: before.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = before.length - 1; i >= 0; --i) {
    for (let j = now.length - 1; j >= 0; --j) {
      longest[i][j] = before[i] === now[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const marks = now.map(() => true);
  for (let i = 0, j = 0; i < before.length && j < now.length;) {
    if (before[i] === now[j]) { marks[j] = false; ++i; ++j; }
    else if (longest[i + 1][j] >= longest[i][j + 1]) ++i; else ++j;
  }
  return marks;
}

// A row for each translation that differs from the one before; its new words are marked.
function translationRows(run, index, line) {
  const rows = [];
  let words = null;
  for (let i = 0; i < line.texts.length;) {
    let end = i;
    while (end + 1 < line.texts.length && line.texts[end + 1] === line.texts[i]) ++end;
    const now = line.texts[i].split(" ");
    const marks = words ? changed(words, now) : now.map(() => false);
    const steps = run.translations.steps;
    rows.push(element("tr", {},
      ...(data.runs.length > 1 ? [element("td", { class: "nowrap" }, element("span", { class: "swatch", style: lineStyle(index) }), run.name)] : []),
      element("td", { class: "number nowrap" }, i === end ? steps[i].toLocaleString("en") : `${steps[i].toLocaleString("en")} – ${steps[end].toLocaleString("en")}`),
      element("td", { class: "translation" }, ...now.flatMap((word, n) => [marks[n] ? element("mark", {}, word) : word, " "]))));
    words = now;
    i = end + 1;
  }
  return rows;
}

function showTranslations() {
  const text = JSON.stringify(data.runs.map((run) => run.translations));
  if (text === view.translations) return;  // what the reader has opened stays open
  view.translations = text;
  const numbers = [...new Set(data.runs.flatMap((run) => run.translations.lines.map((line) => line.number)))].sort((a, b) => a - b);
  if (view.open.size === 0 && numbers.length > 0) view.open.add(numbers[0]);
  const sections = numbers.map((number) => {
    const lines = data.runs.map((run) => run.translations.lines.find((line) => line.number === number));
    const given = (name) => lines.find((line) => line?.[name] !== undefined)?.[name];
    const top = [["source", given("source")], ["reference", given("reference")]].filter(([, value]) => value !== undefined);
    const columns = data.runs.length > 1 ? 2 : 1;
    const section = element("details", {
      open: view.open.has(number),
      toggle: () => (section.open ? view.open.add(number) : view.open.delete(number)),
    }, element("summary", {}, `line ${number}: ${given("source") ?? ""}`),
      element("div", { class: "scroll" }, element("table", {},
        ...top.map(([name, value]) => element("tr", {}, element("th", { colspan: columns }, name), element("td", {}, value))),
        element("tr", {}, ...(columns > 1 ? [element("th", {}, "run")] : []), element("th", {}, "updates"), element("th", {}, "translation")),
        ...data.runs.flatMap((run, index) => (lines[index] ? translationRows(run, index, lines[index]) : [])))));
    return section;
  });
  document.getElementById("translations").replaceChildren(...sections);
  document.getElementById("translated").hidden = numbers.length === 0;
}

function showControls() {
  const buttons = Object.entries(axes).map(([name, { name: label }]) => element("button", {
    type: "button", "data-axis": name, "aria-pressed": String(view.axis === name),
    click: () => {
      view.axis = name;
      view.extent = extent();
      buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.axis === name)));
      zoom(null);
    },
  }, label));
  const reset = element("button", { type: "button", id: "reset", disabled: true, click: () => zoom(null) }, "show all");
  document.getElementById("controls").replaceChildren(element("span", {}, "over"), ...buttons, reset,
    element("span", { class: "muted" },
      "drag in a chart to zoom; in a focused one + and − zoom, arrows move, 0 shows all; lines: training, dots: validation"));
  const every = document.getElementById("every");
  every.closest("label").hidden = data.runs.length === 1;
  every.addEventListener("change", () => { view.everySetting = every.checked; showSettings(); });
}

function show() {
  showRuns();
  showCharts();
  showSettings();
  showTranslations();
}

// Where the program serves the page, it is asked for what has come since.
async function refresh() {
  const status = document.getElementById("status");
  try {
    const answer = await fetch("data.json", { cache: "no-store" });
    if (!answer.ok) throw new Error(String(answer.status));
    data = await answer.json();
    status.textContent = "";
    show();
  } catch {
    status.textContent = "nmt report does not answer; this is what it told last";
  }
}

showControls();
show();
new ResizeObserver(() => charts.forEach((chart) => chart.draw())).observe(document.getElementById("charts"));
if (data.refresh > 0) setInterval(() => { if (!document.hidden) refresh(); }, data.refresh * 1000);
