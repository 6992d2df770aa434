// The tables of nmt report: the state of each run, and its settings.

const last = (figure) => (figure ? figure.value[figure.value.length - 1] : undefined);
const shown = (value, name) => (value === undefined || value === null ? "" : figureText(name, value));
const whole = (number) => number.toLocaleString("en");

// Validation figures of which less is better.
const errors = ["loss", "perplexity", "ter", "metricx"];

// Returns the best value of a validation figure.
function best(figure, name) {
  return figure?.value.reduce((a, b) => (errors.includes(name) ? Math.min(a, b) : Math.max(a, b)));
}

// Returns the state of a run, as far as its directory shows it. A page in a file has the state of when it was made.
function stateOf({ progress }) {
  // Reaching the planned updates or epochs finishes a run; other limits stop it.
  const isPlanned = /--(steps|epochs)/.test(progress.limit ?? "");
  const words = { training: data.refresh > 0 ? "training" : "was training", finished: isPlanned ? "finished" : `stopped by ${progress.limit}`, stopped: "stopped" };
  const part = progress.part !== null && progress.state !== "finished" ? `, ${Math.floor(100 * progress.part)} %` : "";
  return (own(words, progress.state) ?? "unknown") + part;
}

const stateHint = "of a directory: whether a process trains in it, and whether its steps, epochs or time are reached";

// Formats a date and time in the reader's time zone, to the minute.
const timeText = (seconds) => new Date(1000 * seconds).toLocaleString("sv").slice(0, 16);

// Returns the stage that a run is in, and the update of its first training line.
function stageOf({ stages }) {
  const stage = stages[stages.length - 1];
  return stage ? `${stage.name}, from update ${whole(stage.step)}` : "";
}

function runRow(run, index, bests) {
  const loss = run.series.train?.loss ?? run.series.valid?.loss;
  const end = (axis) => (loss ? loss[axis][loss[axis].length - 1] ?? undefined : undefined);
  const steps = Number(own(run.configuration, "steps")) || 0, { left, best: bestOne, written } = run.progress;
  const box = element("input", {
    type: "checkbox", checked: !view.hidden.has(run.name),
    change: () => {
      if (box.checked) view.hidden.delete(run.name); else view.hidden.add(run.name);
      changeView();
    },
  });
  const step = end("step"), seconds = end("seconds");
  const cells = [
    ["updates", step === undefined ? "" : whole(step) + (steps > 0 ? ` of ${whole(steps)}` : "")],
    ...(data.runs.some(({ stages }) => stages.length > 0) ? [["stage", stageOf(run)]] : []),
    ["target tokens", shown(end("tokens"))],
    ["time", seconds === undefined ? "" : clockTime(seconds)],
    ["time left", left === null ? "" : "about " + roundTime(left)],
    ["training loss", shown(last(run.series.train?.loss))],
    ...bests.map((name) => ["best " + titleOf(name), shown(best(own(run.series.valid, name), name), name)]),
    ["best checkpoint", bestOne ? `step ${whole(bestOne.step)} (${titleOf(bestOne.figure)})` : ""],
  ];
  return element("tr", {},
    element("th", { scope: "row" }, element("label", {}, box, " ", element("span", { class: "swatch", style: lineStyle(index) }), run.name)),
    element("td", { "data-label": "state", title: stateHint }, element("div", {}, stateOf(run),
      ...(written > 0 ? [element("div", { class: "muted" }, `last line ${timeText(written)}`)] : []))),
    ...cells.map(([label, text]) => element("td", { class: "number", "data-label": label }, text)));
}

function showRuns() {
  const bests = [...new Set(data.runs.flatMap((run) => Object.keys(run.series.valid ?? {})))]
    .filter((name) => name !== "nll").sort((a, b) => rank(a) - rank(b));
  const rows = data.runs.map((run, index) => runRow(run, index, bests));
  const head = [...rows[0].children].map((cell) => cell.dataset.label ?? "run");
  document.getElementById("runs").replaceChildren(
    element("thead", {}, element("tr", {}, ...head.map((name) => element("th", {}, name)))), element("tbody", {}, ...rows));
}

// The title shows the time of the figures and the version that made the page.
function showTitle() {
  const written = Math.max(...data.runs.map((run) => run.progress.written));
  const time = written > 0 ? timeText(written) : "";
  document.title = [document.querySelector("h1").textContent, ...(time ? [time.slice(0, 10)] : [])].join(", ");
  document.getElementById("made").textContent = [data.program, ...(time ? [`last line ${time}`] : [])].join(", ");
}

function showSettings() {
  const names = [...new Set(data.runs.flatMap((run) => Object.keys(run.configuration)))].sort();
  const usual = new Set(names.filter((name) => data.runs.every((run) => run.usual.includes(name) || own(run.configuration, name) === undefined)));
  const rowsOf = (some) => some.flatMap((name) => {
    const values = data.runs.map((run) => own(run.configuration, name) ?? "");
    const differs = values.some((value) => value !== values[0]);
    if (data.runs.length > 1 && !differs && !view.everySetting) return [];
    return [element("tr", { class: differs && "differs" }, element("th", {}, name),
      ...values.map((value) => element("td", {}, value)))];
  });
  const head = element("tr", {}, element("th", {}, "setting"), ...data.runs.map((run) => element("th", {}, run.name)));
  const none = element("tr", {}, element("td", { colspan: data.runs.length + 1, class: "muted" },
    names.length > 0 ? "no setting differs" : "no settings are recorded"));
  const rows = rowsOf(names.filter((name) => !usual.has(name))), folded = rowsOf([...usual]);
  document.getElementById("settings").replaceChildren(head, ...(rows.length > 0 ? rows : [none]));
  const details = document.getElementById("usual");
  details.hidden = folded.length === 0;
  details.querySelector("summary").textContent = `${folded.length} ${folded.length === 1 ? "setting" : "settings"} as the preset has them`;
  details.querySelector("table").replaceChildren(head.cloneNode(true), ...folded);
}
