// The page of nmt report: charts of runs, their settings, and their translations during training.

let charts = [];

const isLogarithmic = (name) => (name === "perplexity") !== view.scales.has(name);

// The buttons of a figure, which show whether they are pressed.
function chartButtons(name, chart) {
  const button = (label, title, click, isPressed) => element("button", {
    type: "button", title, "data-action": label, "aria-pressed": isPressed && String(isPressed()),
    click: (event) => {
      click();
      if (isPressed) event.target.setAttribute("aria-pressed", String(isPressed()));
    },
  }, label);
  const flip = () => {
    if (!view.scales.delete(name)) view.scales.add(name);
    chart().draw();
    keepView();
  };
  const enlarge = () => {
    view.large = view.large === name ? null : name;
    changeView();
    chart().figure.scrollIntoView({ block: "nearest" });
  };
  const save = () => savePng(chart()).catch(() => say("the picture could not be made"));
  return [
    button("log", "logarithmic scale", flip, () => isLogarithmic(name)),
    button("enlarge", "all the width of the page", enlarge, () => view.large === name),
    button("PNG", "save what is seen as a picture", save),
    button("CSV", "save the figures as a table", () => saveFile(new Blob([csvText(tableOf(name))], { type: "text/csv" }), fileName(titleOf(name), ".csv"))),
  ];
}

function newChart(name) {
  const chart = new Chart(titleOf(name), {
    unit: unitTitles.get(name) ?? titleOf(name),
    lines: () => linesOf(name),
    marks: stageMarks,
    axis: () => ({ ...axes[view.axis], zoom: view.zoom, extent: view.extent }),
    view: () => ({ isLogarithmic: isLogarithmic(name), isLarge: view.large === name }),
    actions: {
      zoom: (window) => { view.zoom = window; changeView(); },
      read: (value) => {
        const at = chart.drag === undefined ? measuredNear(chart, value) : value;
        charts.forEach((other) => showCrosshair(other, at));
        showTip(chart, at);
      },
      buttons: chartButtons(name, () => chart),
    },
  });
  return chart;
}

function drawCharts() {
  charts.forEach((chart) => chart.draw());
}

let shownFigures;

function showCharts() {
  view.extent = extent();
  const names = new Set(data.runs.flatMap((run) => Object.values(run.series).flatMap((figures) => Object.keys(figures))));
  const sorted = [...names].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  if (sorted.join() !== shownFigures) {
    shownFigures = sorted.join();
    charts = sorted.map(newChart);
    document.getElementById("charts").replaceChildren(...charts.map((chart) => chart.figure));
  }
  drawCharts();
}

function say(text) {
  document.getElementById("status").textContent = text;
}

// Updates the controls and the charts to the current choice.
function showChoices() {
  const chosen = (selector, isChosen) => document.querySelectorAll(selector).forEach(
    (button) => button.setAttribute("aria-pressed", String(isChosen(button.dataset))));
  chosen("[data-axis]", ({ axis }) => axis === view.axis);
  chosen("[data-against]", ({ against }) => against === view.against);
  document.querySelector('[data-axis="epochs"]').disabled = !data.runs.some((run) => run.progress.tokens_per_pass);
  document.getElementById("reset").disabled = view.zoom === null;
  document.getElementById("smoothing").value = view.smoothing;
  document.getElementById("smoothed").textContent = view.smoothing > 0 ? view.smoothing.toFixed(2) : "off";
  document.getElementById("every").checked = view.everySetting;
  const search = document.getElementById("search");
  if (search.value !== view.search) search.value = view.search;
}

function changeView() {
  showChoices();
  drawCharts();
  keepView();
}

function axisButton([name, { name: label }]) {
  const click = () => {
    Object.assign(view, { axis: name, zoom: null });
    view.extent = extent();
    changeView();
  };
  return element("button", { type: "button", "data-axis": name, click }, label);
}

function againstButton([name, label]) {
  const click = () => {
    view.against = name;
    changeView();
    showTranslations();
  };
  return element("button", { type: "button", "data-against": name, click }, label);
}

function showControls() {
  const style = (event) => (data.runs.length > 1 ? "--series: var(--text)" : styleOf(0, event));
  const smoothing = element("input", {
    type: "range", id: "smoothing", min: 0, max: 0.99, step: 0.01, value: 0, "aria-label": "smoothing of training",
    input: () => { view.smoothing = Number(smoothing.value); changeView(); },
  });
  document.getElementById("controls").replaceChildren(element("span", {}, "over"), ...Object.entries(axes).map(axisButton),
    element("button", { type: "button", id: "reset", click: () => { view.zoom = null; changeView(); } }, "show all"),
    element("label", { class: "smoothing" }, "smoothing ", smoothing, " ", element("output", { id: "smoothed" })));
  document.getElementById("key").replaceChildren(
    element("span", {}, sample({ style: style("training") }), "training"), element("span", {}, sample({ style: style("validation"), isDashed: true, dots: true }), "validation"),
    element("span", {}, drawn("svg", { class: "sample", width: 14, height: 14 }, drawn("circle", { class: "best", cx: 7, cy: 7, r: 5, style: style("validation") })), "best checkpoint"),
    element("span", { class: "muted" }, "drag to zoom; in a focused chart + and − zoom, arrows move, 0 shows all"));
  const search = element("input", { type: "search", id: "search", placeholder: "search", "aria-label": "search in lines of the validation text",
    input: () => { view.search = search.value; keepView(); showTranslations(); } });
  document.getElementById("choices").replaceChildren(search, element("span", { id: "searched", class: "muted" }), element("span", {}, "mark"),
    ...[["before", "what is new"], ["reference", "differences from the reference"]].map(againstButton));
  const every = document.getElementById("every");
  every.closest("label").hidden = data.runs.length === 1;
  every.addEventListener("change", () => { view.everySetting = every.checked; keepView(); showSettings(); });
}

function show() {
  showTitle();
  showRuns();
  showCharts();
  showChoices();
  showSettings();
  showTranslations();
}

// If the program serves the page, asks it for new data.
async function refresh() {
  try {
    const answer = await fetch("data.json", { cache: "no-store" });
    if (!answer.ok) throw new Error(String(answer.status));
    data = await answer.json();
    say("");
    show();
  } catch {
    say("nmt report does not answer; this is what it told last");
  }
}

view = viewOf(location.hash);
showControls();
show();
addEventListener("hashchange", () => {
  view = viewOf(location.hash);
  shownFigures = shownTranslations = undefined;
  show();
});
new ResizeObserver(drawCharts).observe(document.getElementById("charts"));
if (data.refresh > 0) setInterval(() => { if (!document.hidden) refresh(); }, data.refresh * 1000);
