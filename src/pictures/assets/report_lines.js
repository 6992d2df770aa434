// The figures of runs as lines of charts.

const titles = new Map(Object.entries({
  loss: "loss", perplexity: "perplexity", nll: "negative log-likelihood", bleu: "BLEU", chrf: "chrF", ter: "TER",
  learning_rate: "learning rate", gradient_norm: "gradient norm", target_tokens_per_second: "target tokens per second",
  data_wait_percent: "waiting for data (%)", loss_scale: "scale of the loss",
}));
// Of figures whose title does not say what they are counted in.
const unitTitles = new Map(Object.entries({ loss: "nats per token", nll: "nats per token", target_tokens_per_second: "tokens per second",
  data_wait_percent: "% of the time" }));
const scores = ["bleu", "chrf", "chrf++", "ter"]; // from 0 to 100
const figureText = (name, value) => (scores.includes(name) ? value.toFixed(2) : shortNumber(value));
const titleOf = (name) => titles.get(name) ?? name;
const rank = (name) => (titles.has(name) ? [...titles.keys()].indexOf(name) : titles.size);
// What names of others lead to: a member of their own, or nothing.
const own = (object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined);

// Of more runs than there are colours, the next ones have the same, mixed with that of the text.
function lineStyle(run) {
  const colour = `var(--series-${run % 8 + 1})`, mixed = [100, 55, 30][Math.floor(run / 8) % 3];
  return `--series: ${mixed === 100 ? colour : `color-mix(in srgb, ${colour} ${mixed}%, var(--text))`}`;
}

// Of a run alone, training and validation differ in colour; of several, colours tell the runs apart.
const styleOf = (run, event) => lineStyle(event === "validation" && data.runs.length === 1 ? 1 : run);

// Where the points of a figure lie on an axis; null for those that have no place on it.
function placesOf(run, figure, axis) {
  if (axis !== "epochs") return figure[axis];
  const pass = run.progress.tokens_per_pass;
  return figure.tokens.map((tokens) => (pass && tokens !== null ? tokens / pass : null));
}

// The points of a figure that have a place on the axis, and which they are.
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

// The exponential moving average, of whose weights the first ones are not short.
function smoothed(values, weight) {
  let sum = 0, whole = 0;
  return values.map((value) => {
    sum = weight * sum + (1 - weight) * value;
    whole = weight * whole + (1 - weight);
    return sum / whole;
  });
}

// The best validation, among the points of a figure; with its step where the figure is what made it the best.
function bestOf(run, name, points) {
  const { best } = run.progress;
  if (!best) return undefined;
  const figure = run.series.valid[name];
  const at = points.from.findIndex((i) => figure.step[i] === best.step);
  return { at, label: name === best.figure ? `best: step ${best.step.toLocaleString("en")}` : "" };
}

// Whose points have no noise.
const exact = ["learning_rate", "loss_scale"];

// Of training solid and smoothed, with what is smoothed behind it; of validations dashed, with dots.
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

// The figure as a table: what the page has of it, whatever is zoomed or smoothed, of the runs that are shown.
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
