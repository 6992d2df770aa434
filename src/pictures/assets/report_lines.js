// The figures of runs as lines of charts.

const titles = new Map(Object.entries({
  loss: "loss", perplexity: "perplexity", nll: "negative log-likelihood", bleu: "BLEU", chrf: "chrF", ter: "TER", comet: "COMET", metricx: "MetricX",
  learning_rate: "learning rate", gradient_norm: "gradient norm", target_tokens_per_second: "target tokens per second",
  data_wait_percent: "waiting for data (%)", loss_scale: "scale of the loss",
}));
// Units of figures whose titles do not contain them.
const unitTitles = new Map(Object.entries({ loss: "nats per token", nll: "nats per token", target_tokens_per_second: "tokens per second",
  data_wait_percent: "% of the time" }));
const scores = ["bleu", "chrf", "chrf++", "ter"]; // from 0 to 100
const figureText = (name, value) => (scores.includes(name) ? value.toFixed(2) : shortNumber(value));
const titleOf = (name) => titles.get(name) ?? name;
const rank = (name) => (titles.has(name) ? [...titles.keys()].indexOf(name) : titles.size);
// Keys for names from outside: own members or nothing.
const own = (object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined);

// Runs beyond the number of colors repeat them, mixed with the color of the text.
function lineStyle(run) {
  const color = `var(--series-${run % 8 + 1})`, mixed = [100, 55, 30][Math.floor(run / 8) % 3];
  return `--series: ${mixed === 100 ? color : `color-mix(in srgb, ${color} ${mixed}%, var(--text))`}`;
}

// With one run, colors distinguish training and validation; with several, they distinguish runs.
const styleOf = (run, event) => lineStyle(event === "validation" && data.runs.length === 1 ? 1 : run);

// Returns the positions of the points of a figure on an axis; null for points without a position.
function placesOf(run, figure, axis) {
  if (axis !== "epochs") return figure[axis];
  const pass = run.progress.tokens_per_pass;
  return figure.tokens.map((tokens) => (pass && tokens !== null ? tokens / pass : null));
}

// Returns the points of a figure that have a position on the axis, and their indices.
function pointsOf(run, figure) {
  const x = [], y = [], from = [];
  placesOf(run, figure, view.axis).forEach((at, i) => {
    if (at === null || figure.value[i] === null) return;
    x.push(at);
    y.push(Math.min(Math.max(figure.value[i], -farthest), farthest));
    from.push(i);
  });
  return { x, y, from };
}

// Returns the exponential moving average, with normalized weights at the beginning.
function smoothed(values, weight) {
  let sum = 0, whole = 0;
  return values.map((value) => {
    sum = weight * sum + (1 - weight) * value;
    whole = weight * whole + (1 - weight);
    return sum / whole;
  });
}

// Returns the best validation among the points of a figure, with its step if the figure is best_by.
function bestOf(run, name, points) {
  const { best } = run.progress;
  if (!best) return undefined;
  const figure = run.series.valid[name];
  const at = points.from.findIndex((i) => figure.step[i] === best.step);
  return { at, label: name === best.figure ? `best: step ${best.step.toLocaleString("en")}` : "" };
}

// Figures without noise.
const exact = ["learning_rate", "loss_scale"];

// Returns the lines of a figure: training is solid and smoothed, with faint points; validations are dashed, with dots.
function linesOf(name) {
  return data.runs.flatMap((run, index) => {
    if (view.hidden.has(run.name)) return [];
    const line = (event) => ({ text: (value) => figureText(name, value), name: (data.runs.length > 1 ? run.name + ", " : "") + event, style: styleOf(index, event) });
    const training = own(run.series.train, name), validation = own(run.series.valid, name), lines = [];
    if (training) {
      const points = pointsOf(run, training), isSmoothed = view.smoothing > 0 && !exact.includes(name);
      if (isSmoothed) lines.push({ ...line("training"), ...points, isFaint: true });
      lines.push({ ...line("training"), ...points, y: isSmoothed ? smoothed(points.y, view.smoothing) : points.y });
    }
    if (validation) {
      const points = pointsOf(run, validation);
      lines.push({ ...line("validation"), ...points, dots: true, isDashed: true, best: bestOf(run, name, points) });
    }
    return lines;
  }).sort((a, b) => Boolean(b.isFaint) - Boolean(a.isFaint));
}

// Returns the beginnings of the stages of the visible runs as marks on the axis.
function stageMarks() {
  const runs = data.runs.filter((run) => !view.hidden.has(run.name));
  return runs.flatMap((run) => {
    const places = placesOf(run, { step: run.stages.map(({ step }) => step), tokens: run.stages.map(({ tokens }) => tokens),
      seconds: run.stages.map(({ seconds }) => seconds) }, view.axis);
    return run.stages.map(({ name }, i) => ({ x: places[i], label: (runs.length > 1 ? run.name + ", " : "") + name }));
  }).filter(({ x }) => x !== null).sort((a, b) => a.x - b.x);
}

// Returns the figure as a table: all data of the visible runs, without zoom or smoothing.
function tableOf(name) {
  const rows = data.runs.filter((run) => !view.hidden.has(run.name)).flatMap((run) =>
    ["train", "valid"].filter((event) => own(run.series[event], name)).flatMap((event) => {
      const figure = run.series[event][name], epochs = placesOf(run, figure, "epochs");
      return figure.value.map((value, i) => [run.name, event, figure.step[i], figure.tokens[i], figure.seconds[i], epochs[i], value]);
    }));
  return [["run", "event", "step", "target_tokens", "seconds", "epochs", name], ...rows];
}

function extent() {
  let least = Infinity, most = -Infinity;
  for (const run of data.runs) {
    for (const figure of Object.values(run.series).flatMap((figures) => Object.values(figures))) {
      for (const at of placesOf(run, figure, view.axis)) {
        if (at !== null && at < least) least = at;
        if (at !== null && at > most) most = at;
      }
    }
  }
  if (least > most) return [0, 1];
  return least === most ? [least - 1, most + 1] : [least, most];
}
