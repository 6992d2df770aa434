// Round values along an axis: four to six of them, whatever the range and the size of the chart.

const fewestTicks = 4, mostTicks = 6;
const roundMantissas = [1, 2, 5, 2.5, 4, 3, 1.5, 8, 6];  // of the distance of ticks; the first that suits is taken
const roundTimes = [
  1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200,
  15, 20, 900, 1200, 10800, 14400, 28800, 3, 4, 180, 240, 360, 2400, 64800, 90, 5400,
];

// Returns the multiples of a step in a range.
function multiples(step, least, most) {
  const first = Math.ceil(least / step - 1e-9), last = Math.floor(most / step + 1e-9);
  if (!(last - first < 100)) return [];
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => (first + i) * step);
}

// Returns the first list of ticks with the right length, or else the closest one.
function bestTicks(candidates) {
  const distance = (ticks) => Math.max(fewestTicks - ticks.length, ticks.length - mostTicks, 0);
  return candidates.reduce((best, ticks) => (distance(ticks) < distance(best) ? ticks : best), []);
}

function decimalSteps(span) {
  const power = 10 ** Math.floor(Math.log10(span / mostTicks));
  return roundMantissas.flatMap((mantissa) => [mantissa * power, mantissa * power * 10]);
}

// `isWhole`: values are whole numbers.
function linearTicks(least, most, { isTime = false, isWhole = false } = {}) {
  const span = most - least;
  let steps = decimalSteps(span);
  if (isTime && span >= 4) steps = [...roundTimes, ...decimalSteps(span / 86400).map((days) => days * 86400).filter((step) => step >= 86400)];
  if (isWhole) steps = steps.map((step) => Math.max(Math.round(step), 1));
  return bestTicks(steps.map((step) => multiples(step, least, most)));
}

// For a logarithmic axis: powers of ten, with some values between them if they are few, or only some of them if they
// are many.
function logarithmicTicks(least, most) {
  const ticks = (mantissas, stride, offset = 0) => {
    const inside = [];
    for (let power = Math.ceil(Math.log10(least) / stride - 1) * stride - offset; 10 ** power <= most; power += stride) {
      inside.push(...mantissas.map((mantissa) => mantissa * 10 ** power).filter((tick) => tick >= least && tick <= most));
    }
    return inside;
  };
  const decades = Math.log10(most / least);
  const candidates = [[1], [1, 2, 5], [1, 3], [2], [3], [5]].map((mantissas) => ticks(mantissas, 1));
  for (let stride = 2; stride <= decades / 2; ++stride) candidates.push(ticks([1], stride), ticks([1], stride, 1));
  if (decades < 1.5) candidates.unshift(linearTicks(least, most).filter((tick) => tick > 0));
  return bestTicks(candidates);
}
