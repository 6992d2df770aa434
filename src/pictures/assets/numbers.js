// Formats numbers and durations for charts and tables.

const units = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

// 1.50e+7 as 1.5e7
const shortExponent = (text) => text.replace(/\.?0+e/, "e").replace("+", "");

// 1234567 as "1.235M", 0.0000123 as "1.23e-5".
function shortNumber(value) {
  const size = Math.abs(value);
  if (size >= 1e15) return shortExponent(value.toExponential(2));
  for (const [unit, letter] of units) {
    if (size >= unit) return String(Number((value / unit).toPrecision(4))) + letter;
  }
  if (size > 0 && size < 1e-3) return shortExponent(value.toExponential(2));
  return String(Number(value.toPrecision(4)));
}

const timeUnits = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];

// Formats seconds like the remaining time of nmt train: "40 s", "12 min", "3 h 20 min", "2 d 5 h".
function roundTime(seconds) {
  const s = Math.round(Math.min(seconds, 1e12)), minutes = Math.floor(s / 60), hours = Math.floor(minutes / 60), days = Math.floor(hours / 24);
  if (s < 60) return `${s} s`;
  if (minutes < 60) return `${minutes} min`;
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${days} d ${hours % 24} h`;
}

// Formats seconds like a clock: "0:07", "12:05", "1:02:03".
function clockTime(seconds) {
  const s = Math.round(Math.min(seconds, 1e12)), two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(s / 3600), Math.floor(s / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(s % 60)}` : `${minutes}:${two(s % 60)}`;
}

// Formats seconds in a window of this length: "3 d", "1.5 h", "40 min", "7 s", or "33:05 h" late in a long run.
function timeTick(seconds, span) {
  const [unit, name] = timeUnits.find(([size]) => span >= 2 * size) ?? [1, "s"];
  if (unit >= 3600 || seconds < 7200 && unit === 60 || seconds < 120) return shortNumber(seconds / unit) + " " + name;
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60;
  return unit === 60 ? `${hours}:${two(minutes)} h` : `${hours}:${two(minutes)}:${two(Math.round(seconds % 60))}`;
}

// Formats a tick of an axis with the distance `step` between ticks, with enough digits to differ from its neighbors.
function tickText(value, step) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e15 || size < 1e-3) {
    return shortExponent(value.toExponential(Math.min(Math.max(Math.ceil(Math.log10(size / step)) + 1, 0), 6)));
  }
  const [unit, letter] = units.find(([least]) => size >= least) ?? [1, ""];
  const decimals = Math.min(Math.max(Math.ceil(1 - Math.log10(step / unit)), 0), 12);
  return String(Number((value / unit).toFixed(decimals))) + letter;
}
