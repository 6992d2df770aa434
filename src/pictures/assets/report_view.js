// The reader's choices, which are also in the address, so that a link or a reload shows the same view.

const axes = {
  step: { name: "updates", isWhole: true },
  epochs: { name: "epochs" },
  tokens: { name: "target tokens", isWhole: true },
  seconds: { name: "time", isTime: true },
};

// `hidden`: names of runs; `scales`: figures with another scale than the default; `large`: a figure; `open`: line
// numbers.
function plainView() {
  return { axis: "step", zoom: null, smoothing: 0, hidden: new Set(), scales: new Set(), large: null,
    everySetting: false, open: null, search: "", against: "before" };
}

let view = plainView();

// Returns the fragment of the address, after "#", without defaults.
function viewText() {
  const text = new URLSearchParams();
  if (view.axis !== "step") text.set("over", view.axis);
  if (view.zoom) text.set("zoom", view.zoom.map((end) => Number(end.toPrecision(8))).join(" "));
  if (view.smoothing > 0) text.set("smoothing", view.smoothing);
  if (view.large !== null) text.set("large", view.large);
  if (view.everySetting) text.set("settings", "all");
  if (view.search) text.set("search", view.search);
  if (view.against !== "before") text.set("against", view.against);
  for (const [name, values] of [["hide", view.hidden], ["scale", view.scales], ["line", view.open ?? []]]) {
    for (const value of values) text.append(name, value);
  }
  return text.toString();
}

// Reads the address, which may contain anything; invalid parts have their defaults.
function viewOf(hash) {
  const text = new URLSearchParams(hash.replace(/^#/, "")), read = plainView();
  const zoom = (text.get("zoom") ?? "").split(" ").map(Number);
  const smoothing = Number(text.get("smoothing") ?? 0);
  if (Object.hasOwn(axes, text.get("over") ?? "")) read.axis = text.get("over");
  if (zoom.length === 2 && zoom.every(Number.isFinite) && zoom[0] < zoom[1]) read.zoom = zoom;
  if (smoothing > 0 && smoothing < 1) read.smoothing = smoothing;
  read.large = text.get("large");
  read.everySetting = text.get("settings") === "all";
  read.search = text.get("search") ?? "";
  if (text.get("against") === "reference") read.against = "reference";
  read.hidden = new Set(text.getAll("hide"));
  read.scales = new Set(text.getAll("scale"));
  if (text.has("line")) read.open = new Set(text.getAll("line").map(Number));
  return read;
}

let writingView;

// Delayed, because browsers refuse an address that changes with every turn of a wheel.
function keepView() {
  clearTimeout(writingView);
  writingView = setTimeout(() => history.replaceState(null, "", "#" + viewText()), 150);
}
